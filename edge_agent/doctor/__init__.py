"""`edge-agent doctor`: what this machine lacks, and the line to type for it. Looks only; changes nothing.

Each check is one function that yields findings, in the order in which they should be mended.
"""
