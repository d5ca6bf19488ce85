"""Every labelled set of a folder against what Shilu says: accuracy, confusion, misses with their reason.

    python bench/cases.py FOLDER                       # adjudication, batch, category, secrets, injection
    python bench/cases.py FOLDER --without-embedder --misses

FOLDER holds the sets as `bench/data/` describes them; a set that is not there is left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import injection
import judge
import judge_cases
import secret_cases
from shilu_core.embed import EmbedderSettings, resolve
from shilu_inbox import category


def run_category(path: Path, embedder: object | None, misses: bool) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = [category.classify(row["fact"], embedder=embedder).category for row in rows]
    right = [said == row["category"] or said in row.get("accept", ()) for row, said in zip(rows, found, strict=True)]
    print(f"category  {len(rows)} facts  right {100 * sum(right) / len(rows):.1f} %")
    for row, said, is_right in zip(rows, found, right, strict=True):
        if misses and not is_right:
            print(f"  expected {row['category']}, got {said}: {row['fact']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without-embedder", action="store_true")
    parser.add_argument("--misses", action="store_true", help="print every miss with its reason")
    arguments = parser.parse_args()
    folder, misses = arguments.folder, arguments.misses
    embedder = None if arguments.without_embedder else resolve(EmbedderSettings())
    print("embedder:", embedder.name if embedder else "none")
    if cases := judge_cases.adjudication(folder):
        judge.run_adjudication(cases, embedder, misses)
    judge.run_batches(folder, embedder, misses)
    if (path := folder / "category.jsonl").exists():
        run_category(path, embedder, misses)
    if (path := folder / "secrets.jsonl").exists():
        secret_cases.score(path, misses=misses)
    if (path := folder / "injection.jsonl").exists():
        injection.score(path, misses=misses)


if __name__ == "__main__":
    main()
