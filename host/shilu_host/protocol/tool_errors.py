"""The error a memory tool shows a model: another shape than the provider's own (15.3)."""

from __future__ import annotations

from typing import Any

from shilu_host.protocol.errors import ProtocolError

_USAGE = ("track", "scope", "used", "limit")
_SHOWN = ("outcome", "candidates", "sample")


def tool_error(error: ProtocolError) -> dict[str, Any]:
    """`{code, message}` and what of outcome, usage, candidates and sample belongs to the code."""
    shown: dict[str, Any] = {"code": error.code, "message": str(error)}
    shown.update({name: error.details[name] for name in _SHOWN if name in error.details})
    if error.code == "BUDGET_EXCEEDED":
        shown["usage"] = {name: error.details[name] for name in _USAGE}
    return shown
