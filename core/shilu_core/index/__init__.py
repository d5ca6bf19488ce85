"""The index: everything search needs that can be rebuilt from the vault, so it may be deleted at any time."""
