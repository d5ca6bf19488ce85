"""The JSON forms of the protocol's values: camelCase, exactly the fields that the tables name."""

from __future__ import annotations

from typing import Any

from shilu_core.entries import AuditRow, Entry, Proposal
from shilu_host.protocol.books import Usage
from shilu_host.protocol.writes import Change

Wire = dict[str, Any]


def entry(value: Entry) -> Wire:
    """The 14 fields (2.1)."""
    return {
        "id": value.id,
        "track": value.track,
        "scope": value.scope,
        "workspaceKey": value.workspace_key,
        "agentKey": value.agent_key,
        "text": value.text,
        "source": value.source,
        "tags": list(value.tags),
        "version": value.version,
        "createdAt": value.created_at,
        "updatedAt": value.updated_at,
        "lastRecalled": value.last_recalled,
        "recallCount": value.recall_count,
        "sessionId": value.session_id,
    }


def usage(value: Usage) -> Wire:
    return {"track": value.track, "scope": value.scope, "used": value.used, "limit": value.limit}


def audit_row(value: AuditRow) -> Wire:
    return {
        "seq": value.seq,
        "ts": value.ts,
        "action": value.action,
        "track": value.track,
        "scope": value.scope,
        "entryId": value.entry_id,
        "text": value.text,
        "outcome": value.outcome,
        "source": value.source,
        "sessionId": value.session_id,
    }


def proposal(value: Proposal) -> Wire:
    return {
        "id": value.id,
        "kind": value.kind,
        "track": value.track,
        "scope": value.scope,
        "workspaceKey": value.workspace_key,
        "agentKey": value.agent_key,
        "text": value.text,
        "source": value.source,
        "sessionId": value.session_id,
        "status": value.status,
        "createdAt": value.created_at,
        "decidedAt": value.decided_at,
    }


def change(value: Change) -> Wire:
    """The result of a write, by its action."""
    if value.action == "seed":
        return {"added": len(value.stored), "entries": [entry(item) for item in value.stored]}
    result: Wire = {}
    if value.previous is not None:
        result["previous"] = entry(value.previous)
    if value.action == "consolidate":
        result["removed"] = [entry(item) for item in value.removed]
    result["entry"] = entry((value.stored or value.removed)[0])
    if value.usage is not None:
        result["usage"] = usage(value.usage)
    return result
