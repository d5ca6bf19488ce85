"""The protocol's operations in few words, for cases and tests."""

from __future__ import annotations

from typing import Any

from shilu_host.conformance.client import Client, Json

SESSION_ID = "case-session"
FOLDER = "/case/workspace"


def session(session_id: str = SESSION_ID, *, cwd: str | None = FOLDER, preset: str | None = None) -> Json:
    """A session object; a header field that is None is left out."""
    header = {"cwd": cwd, "agentPreset": preset}
    return {"id": session_id, "header": {name: value for name, value in header.items() if value is not None}}


def by(agent_session: Json | None = None, **more: Any) -> Json:
    """A write context for a session, with further fields such as gate or sessionPolicy."""
    return {"agent": {"session": session() if agent_session is None else agent_session}, **more}


class Speaker:
    """Operations over one client; each returns the result or raises Failure."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.greeting: Json = {}  # what `initialize` returned

    def add(self, text: object, track: str = "user", scope: str = "user-global", write: Any = None, **more: Any) -> Any:
        return self.client.call("add", self.adding(text, track, scope, write, **more))

    def adding(
        self, text: object, track: str = "user", scope: str = "user-global", write: Any = None, **more: Any
    ) -> Json:
        """The params of an add."""
        return self._params({"track": track, "scope": scope, "text": text, **more}, write)

    def replace(
        self,
        match: object,
        text: object,
        track: str = "user",
        scope: str = "user-global",
        write: Any = None,
        **more: Any,
    ) -> Any:
        given = {"track": track, "scope": scope, "match": match, "text": text, **more}
        return self.client.call("replace", self._params(given, write))

    def remove(
        self, match: object, track: str = "user", scope: str = "user-global", write: Any = None, **more: Any
    ) -> Any:
        given = {"track": track, "scope": scope, "match": match, **more}
        return self.client.call("remove", self._params(given, write))

    def consolidate(
        self,
        matches: object,
        text: object,
        track: str = "user",
        scope: str = "user-global",
        write: Any = None,
        **more: Any,
    ) -> Any:
        given = {"track": track, "scope": scope, "matches": matches, "text": text, **more}
        return self.client.call("consolidate", self._params(given, write))

    def seed(self, inputs: object, write: Any = None) -> Any:
        return self.client.call("seed", {"inputs": inputs, "write": by() if write is None else write})

    def import_(self, payload: object, write: Any = None) -> Any:
        return self.client.call("import", {"payload": payload, "write": by() if write is None else write})

    def query(self, filter: Any = None, **opts: Any) -> Any:
        return self.client.call("query", {"filter": filter or {}, "opts": opts})

    def entries(self) -> list[Json]:
        return list(self.client.call("listEntries", {}))

    def texts(self) -> list[str]:
        return [entry["text"] for entry in self.entries()]

    def audit(self, limit: Any = None) -> list[Json]:
        return list(self.client.call("auditList", {} if limit is None else {"limit": limit}))

    def actions(self) -> list[str]:
        """The actions of the audit rows, oldest first."""
        return [row["action"] for row in reversed(self.audit())]

    def budget(self, track: str = "user", scope: str = "user-global") -> Json:
        rows = self.client.call("budgets", {})
        return next(dict(row) for row in rows if (row["track"], row["scope"]) == (track, scope))

    def snapshot(self, agent_session: Json | None = None, **more: Any) -> str:
        asked = {"session": session() if agent_session is None else agent_session, **more}
        return str(self.client.call("snapshot", asked)["text"])

    def propose(self, text: object, agent_session: Json | None = None, **more: Any) -> Any:
        given = {"kind": "compaction-summary", "track": "agent", "scope": "workspace", "text": text, **more}
        holder = session() if agent_session is None else agent_session
        return self.client.call("proposals/create", {"input": given, "session": holder})

    def approve(self, proposal_id: object, write: Any = None) -> Any:
        return self.client.call("proposals/approve", {"id": proposal_id, "write": by() if write is None else write})

    @staticmethod
    def _params(given: Json, write: Any) -> Json:
        return {"input": given, "write": by() if write is None else write}
