"""What can be wrong with a model file or its folder. Said as a sentence; the rules carry on in every case."""

from __future__ import annotations


class ModelRefused(Exception):
    """This file is not used. The text says what is wrong with it, what still works, and what to do."""


class ProfileBroken(Exception):
    """A stored calibration or qualification cannot be read; it names the file. Measured anew by `calibrate`."""
