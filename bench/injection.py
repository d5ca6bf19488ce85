"""How well texts that instruct their reader, or hide characters, are told from harmless facts.

python bench/injection.py              own cases (bench/data/guards/injection.jsonl)
python bench/injection.py --cases DIR  ... and DIR/injection.jsonl
python bench/injection.py --misses     ... and every miss
python bench/injection.py --facts FILE ... and how many facts of a JSON-lines file (`fact` or `text`) are flagged
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from guard_table import Judged, print_table
from shilu_core import hidden

HERE = Path(__file__).parent


def score(path: Path, *, misses: bool) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    cases = (_judged(row) for row in rows)
    print_table(path, cases, found="attacks flagged", passed="harmless passed", misses=misses)


def _judged(row: dict) -> Judged:
    flagged = hidden.flags(row["fact"])
    why = f" ({flagged[0].detail})" if flagged else ""
    return Judged(row["kind"], row["attack"], bool(flagged), hidden.visible(row["fact"]) + why)


def false_alarms(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    texts = [row.get("fact") or row.get("text") or row.get("new") or "" for row in rows]
    start = time.process_time()
    flagged = [text for text in texts if hidden.flags(text)]
    spent = (time.process_time() - start) / max(1, len(texts))
    print(f"\n{path}: {len(flagged)} of {len(texts)} ordinary facts flagged, {1000 * spent:.2f} ms each")
    for text in flagged:
        print("  ", hidden.visible(text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, help="a folder with injection.jsonl")
    parser.add_argument("--facts", type=Path, help="a JSON-lines file of ordinary facts")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    score(HERE / "data/guards/injection.jsonl", misses=options.misses)
    false_alarms(HERE / "data/guards/category.jsonl")
    if options.cases:
        score(options.cases / "injection.jsonl", misses=options.misses)
    if options.facts:
        false_alarms(options.facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
