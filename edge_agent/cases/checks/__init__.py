"""The named assertions that expectations are made of: each looks at a record, none at anything else."""
