"""What may be published and how it is said: the release table and every text an operator reads. Pure."""
