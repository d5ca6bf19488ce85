"""Shilu core: vault, notes, ledger, index and recall; everything that reads, and the one module that writes."""
