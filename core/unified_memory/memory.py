"""`python -m unified_memory.memory`: the command line that the published DSH plug-in calls, over `shilu`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


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
    options: list[str] = []
    facts: list[str] = []
    rest = iter(given)
    for part in rest:
        if part == "--agent":
            options += [part, next(rest, "")]
        elif part.startswith("--agent="):
            options.append(part)
        elif part != "--":
            facts += [line.strip().removeprefix("- ").strip() for line in part.splitlines() if line.strip()]
    agent = [] if any(option.startswith("--agent") for option in options) else ["--agent", "dsh"]
    return [*agent, *options, "--", *facts]


if __name__ == "__main__":
    sys.exit(main())
