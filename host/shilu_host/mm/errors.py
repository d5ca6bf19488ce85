"""The failures of mm v1 (section 11): a code for callers to branch on, a message for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from shilu_core.errors import ShiluError

Code = Literal["E_INVALID", "E_NOT_INITIALIZED", "E_PARSE", "E_SNAPSHOT", "E_IO", "E_DIGEST_SOURCE"]


class MmError(ShiluError):
    """An operation that can't be carried out; an exceeded budget is a value, `Refused`."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.details: Mapping[str, Any] = {}


def invalid(message: str) -> MmError:
    """The error for an argument that the format does not allow."""
    return MmError("E_INVALID", message)


def unparsable(message: str) -> MmError:
    """The error for a file of the root that does not follow the format, with the line."""
    return MmError("E_PARSE", message)


def not_initialized(root: str) -> MmError:
    """The error for a root that does not stand and may not be made."""
    return MmError(
        "E_NOT_INITIALIZED", f"memory root does not exist: {root}; make it with: shilu mm init --root {root}"
    )


def not_loaded() -> MmError:
    """The error for a memory that was used before it was loaded."""
    return MmError("E_SNAPSHOT", "the memory is not loaded; call load(), or use Memory.ensure or Memory.open")


def failed(action: str, error: OSError) -> MmError:
    """The error for a file operation that the system refused."""
    reason = error.strerror or str(error)
    return MmError("E_IO", f"{action} failed: {reason}; check the path and its permissions, then try again")
