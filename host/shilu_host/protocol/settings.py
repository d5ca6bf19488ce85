"""What a provider is configured with; read once, at the edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shilu_host.protocol.errors import invalid
from shilu_host.protocol.fields import POTS, positive
from shilu_host.protocol.policies import Policies, read_policies

Limits = Mapping[tuple[str, str], int]

DEFAULT_LIMITS: Limits = {pot: 2000 if pot[0] == "user" else 4000 for pot in POTS}
DEFAULT_QUERY_LIMIT = 20
_SCOPE_KEYS = {"user-global": "userGlobal", "workspace": "workspace"}  # as the configuration spells them


@dataclass(frozen=True)
class Settings:
    """`limits` are UTF-16 units by pot; `refuses_secrets` is set where the store is the vault's own ledger."""

    limits: Limits = field(default_factory=lambda: DEFAULT_LIMITS)
    policies: Policies = field(default_factory=Policies)
    approval: bool = False
    default_query_limit: int = DEFAULT_QUERY_LIMIT
    audit_retention_days: int = 0
    known_events: frozenset[str] = frozenset()
    refuses_secrets: bool = False


def read_settings(given: Mapping[str, object], *, refuses_secrets: bool = False) -> Settings:
    """Settings from the fields of `initialize` or of a configuration file; raises INVALID_INPUT for a bad
    one.
    """
    return Settings(
        limits=read_limits(given.get("budgets")),
        policies=read_policies(given.get("writePolicy"), given.get("writePolicies")),
        approval=_flag("approval", given.get("approval")),
        default_query_limit=_count("defaultQueryLimit", given.get("defaultQueryLimit"), DEFAULT_QUERY_LIMIT, least=1),
        audit_retention_days=_count("auditRetentionDays", given.get("auditRetentionDays"), 0, least=0),
        known_events=read_events(given.get("knownSessionEvents")),
        refuses_secrets=refuses_secrets,
    )


def read_limits(given: object) -> Limits:
    """The four limits of `{user: {userGlobal, workspace}, agent: {...}}`; what is missing has its default."""
    tracks = _table("budgets", given, ("user", "agent"))
    limits = dict(DEFAULT_LIMITS)
    for track, scopes in tracks.items():
        for key, value in _table(f"budgets.{track}", scopes, tuple(_SCOPE_KEYS.values())).items():
            limit = positive(value)
            if limit is None:
                raise invalid(f"budgets.{track}.{key} must be a positive integer")
            scope = next(scope for scope, name in _SCOPE_KEYS.items() if name == key)
            limits[(track, scope)] = limit
    return limits


def read_events(given: object) -> frozenset[str]:
    """The event types that the host has registered."""
    if given is None:
        return frozenset()
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise invalid("knownSessionEvents must be a list of event types")
    return frozenset(given)


def _table(name: str, given: object, keys: tuple[str, ...]) -> Mapping[str, object]:
    table = {} if given is None else given
    if not isinstance(table, dict):
        raise invalid(f"{name} must be an object")
    unknown = sorted(str(key) for key in table if key not in keys)
    if unknown:
        raise invalid(f"{name} has an unknown key {unknown[0]!r}; known are {', '.join(keys)}")
    return table


def _flag(name: str, value: object) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        raise invalid(f"{name} must be true or false")
    return value


def _count(name: str, value: object, default: int, *, least: int) -> int:
    if value is None:
        return default
    if least == 0 and value == 0 and not isinstance(value, bool):
        return 0
    count = positive(value)
    if count is None:
        raise invalid(f"{name} must be an integer of at least {least}")
    return count
