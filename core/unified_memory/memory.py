"""`python -m unified_memory.memory`: the command line that the published DSH plug-in calls, over `shilu`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

_OPTION = re.compile(r"--[a-z][a-z-]*(=.*)?", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Translates `init search show submit status` and runs them; a search without a hit exits 0, as it did there."""
    from unified_memory.path import shilu_main

    name, *given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name == "init" and "--vault" in given:  # there the vault was an option
        given = [part for part in given if part not in ("--vault", "--force")]
    if name == "submit":  # there one argument held all facts, one a line
        given = _split_facts(given)
    if name == "search":
        given = [part for part in given if part not in ("--hybrid", "--remote")]
    code = shilu_main()([name, *given])
    return 0 if name == "search" and code == 1 else code


def _split_facts(given: list[str]) -> list[str]:
    """Options as they are, an option's value behind it, and every line of what is left as a fact."""
    options: list[str] = []
    facts: list[str] = []
    rest = iter(given)
    for part in rest:
        if part == "--":
            break
        if _OPTION.fullmatch(part):
            options += [part] if "=" in part else [part, *_value(part, rest)]
        else:
            facts += _lines(part)
    facts += [line for part in rest for line in _lines(part)]
    agent = [] if any(option.startswith("--agent") for option in options) else ["--agent", "dsh"]
    return [*agent, *options, "--", *facts]


def _value(option: str, rest: Iterator[str]) -> list[str]:
    return [] if option in ("--verbose", "--help") else [value for value in [next(rest, None)] if value is not None]


def _lines(part: str) -> list[str]:
    return [line.strip().removeprefix("- ").strip() for line in part.splitlines() if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
