"""`python -m unified_memory.promoter`: the old promoter's command line, over `promoter`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    from unified_memory.path import promoter_main

    given = list(sys.argv[1:] if arguments is None else arguments)
    return promoter_main()(["--adjudicate" if part == "adjudicate" else part for part in given])


if __name__ == "__main__":
    sys.exit(main())
