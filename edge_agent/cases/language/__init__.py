"""How sentences are read, measured: tables for each language and intent, a confusion matrix, a calibration curve."""
