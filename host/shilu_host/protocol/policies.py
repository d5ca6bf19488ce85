"""Write policies: configuration that no client sees or changes decides who may answer an approval (6.7-6.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from shilu_host.protocol.errors import invalid
from shilu_host.protocol.fields import POTS

ASK = "ask"
AUTO = "auto"
OFF = "off"
POLICIES = (ASK, AUTO, OFF)
_SOURCE_KEY = re.compile(r"source:[a-z0-9-]+")


@dataclass(frozen=True)
class Policies:
    """The global policy and the finer rules: `source:` beats `track/scope` beats the global one."""

    default: str = ASK
    rules: Mapping[str, str] = field(default_factory=dict)

    def effective(self, track: str, scope: str, source: str | None) -> str:
        by_source = self.rules.get(f"source:{source}") if source is not None else None
        return by_source or self.rules.get(f"{track}/{scope}") or self.default


def read_policies(default: object, rules: object) -> Policies:
    """Policies from configuration; raises INVALID_INPUT for an unknown key or value."""
    chosen = ASK if default is None else default
    if chosen not in POLICIES:
        raise invalid("writePolicy must be ask, auto or off")
    table = {} if rules is None else rules
    if not isinstance(table, dict):
        raise invalid("writePolicies must map track/scope or source:name to a policy")
    for key, value in table.items():
        _check_rule(key, value)
    return Policies(str(chosen), dict(table))


def _check_rule(key: object, value: object) -> None:
    pots = {f"{track}/{scope}" for track, scope in POTS}
    if not isinstance(key, str) or (key not in pots and not _SOURCE_KEY.fullmatch(key)):
        raise invalid("a key of writePolicies is track/scope or source: and a name of a-z, 0-9 and -")
    if value not in POLICIES:
        raise invalid("a value of writePolicies is ask, auto or off")
