"""The JSON Schema of entry, error and envelope (draft 2020-12), for clients that want to check what they get."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def schema() -> dict[str, Any]:
    """The whole schema; `$defs` has entry, error and envelope."""
    text = files("shilu_host.protocol").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def schema_of(name: str) -> dict[str, Any]:
    """The schema of one of entry, error and envelope, complete with what it refers to."""
    whole = schema()
    return {"$schema": whole["$schema"], "$ref": f"#/$defs/{name}", "$defs": whole["$defs"]}
