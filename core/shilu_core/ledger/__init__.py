"""The ledger: one SQLite file that records what was asked, decided, written, undone and recalled."""

from shilu_core.ledger.schema import STEPS
from shilu_core.ledger.store import Ledger, ledger_path, part_from_original, vault_identity

SCHEMA_VERSION = len(STEPS)

__all__ = ["SCHEMA_VERSION", "Ledger", "ledger_path", "part_from_original", "vault_identity"]
