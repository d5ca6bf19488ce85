"""The errors of the deployer; each message says what, where, and what to do next.

The package stands alone (it runs before anything is installed), so it has a base of its own with the same
exit codes as the rest of the program: 1 expected failure, 2 wrong use.
"""

from __future__ import annotations


class SetupError(Exception):
    """An expected failure: nothing was changed, or the message says what was."""

    exit_code = 1


class SetupUsageError(SetupError):
    """The call itself was wrong (an unknown target, a file outside the allow list)."""

    exit_code = 2


class Malformed(SetupError):
    """A configuration file cannot be read as its format; it is left alone."""


class Occupied(SetupError):
    """The place our entry would take holds something of another kind."""


class Foreign(SetupError):
    """What stands where we wrote is no longer ours; `ours` and `theirs` show both."""

    def __init__(self, message: str, *, ours: str, theirs: str) -> None:
        super().__init__(message)
        self.ours = ours
        self.theirs = theirs
