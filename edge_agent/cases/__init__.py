"""Labelled cases: the line format, the runner over the real agent, what each expectation asserts, the report."""
