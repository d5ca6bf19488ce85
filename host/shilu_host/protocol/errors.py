"""The protocol's domain errors: a stable code and details for callers to branch on; messages stay English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shilu_core.errors import ShiluError


class ProtocolError(ShiluError):
    """One of the codes of section 15, with the details that belong to it."""

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = dict(details or {})


def invalid(message: str) -> ProtocolError:
    return ProtocolError("INVALID_INPUT", message)


def requires_agent() -> ProtocolError:
    return ProtocolError("WRITE_REQUIRES_AGENT", "a write needs the agent it is made for: give write.agent")


def over_budget(track: str, scope: str, used: int, limit: int, needed: int) -> ProtocolError:
    return ProtocolError(
        "BUDGET_EXCEEDED",
        f"{track}/{scope} holds {used} of {limit} characters and would need {needed}; "
        "remove or consolidate entries, then try again",
        {"track": track, "scope": scope, "used": used, "limit": limit, "needed": needed},
    )


def not_found(track: str, scope: str, match: str) -> ProtocolError:
    return ProtocolError(
        "ENTRY_NOT_FOUND",
        f"no visible entry of {track}/{scope} contains the match; query for the present text",
        {"track": track, "scope": scope, "match": match},
    )


def ambiguous(track: str, scope: str, match: str, sample: list[str]) -> ProtocolError:
    return ProtocolError(
        "AMBIGUOUS_MATCH",
        f"{len(sample)} entries of {track}/{scope} contain the match; give a longer one that only the target contains",
        {"track": track, "scope": scope, "match": match, "candidates": len(sample), "sample": sample},
    )


def denied(outcome: str) -> ProtocolError:
    return ProtocolError("WRITE_DENIED", f"the write was not allowed: {outcome}", {"outcome": outcome})


def no_proposal(proposal_id: object) -> ProtocolError:
    return ProtocolError("PROPOSAL_NOT_FOUND", "no pending proposal has this id; list them", {"id": proposal_id})


def store_error(code: str, reason: str, path: str) -> ProtocolError:
    """STORE_CORRUPT or STORE_UNSUPPORTED_VERSION; `path` as the caller gave it."""
    return ProtocolError(code, reason, {"path": path})


def no_adapter(adapter_id: object) -> ProtocolError:
    return ProtocolError("ADAPTER_NOT_FOUND", f"no adapter is registered as {adapter_id!r}", {"adapterId": adapter_id})


def bad_payload(adapter_id: str, reason: str) -> ProtocolError:
    return ProtocolError("ADAPTER_PAYLOAD", f"adapter {adapter_id}: {reason}", {"adapterId": adapter_id})
