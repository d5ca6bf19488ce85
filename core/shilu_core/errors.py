"""The errors a caller acts on; each message says what, where, and what to do next."""

from __future__ import annotations


class ShiluError(Exception):
    """An expected failure: the command ends with `exit_code` and prints the message."""

    exit_code = 1


class UsageError(ShiluError):
    """The call itself was wrong (a flag, a name, a missing argument)."""

    exit_code = 2


class VaultMissing(ShiluError):
    """No vault is configured, or the configured folder holds none."""


class LockBusy(ShiluError):
    """Another writer held the vault's lock for the whole waiting time."""


class SecretRefused(ShiluError):
    """A text holds a plaintext secret; the message names kind and line, never the value."""


class LedgerUnusable(ShiluError):
    """The ledger is corrupt or of a newer version; the file was left alone."""


class EmbedderUnusable(ShiluError):
    """A model cannot be used here (not installed, wrong weights, processor, key, spend); the next one may."""


class LedgerNewer(LedgerUnusable):
    """The ledger was written by a newer version; the file was left alone."""
