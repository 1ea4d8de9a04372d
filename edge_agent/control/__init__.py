"""The arm's supervision: one task that beats, looks, judges and, when asked, sends once."""
