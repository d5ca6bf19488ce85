"""The ledger: one SQLite file that records what was asked, decided, written, undone and recalled."""

from shilu_core.ledger.store import Ledger, ledger_path, vault_identity

__all__ = ["Ledger", "ledger_path", "vault_identity"]
