"""The report of a run of case lines: JSON to keep, HTML to show, and before against after."""
