"""Transports: each vendor library is imported by exactly one file of this package."""
