"""How often a second, blind labelling of 120 sampled own cases agrees with the first; prints a table.

    python bench/judge_agreement.py

The second reader saw the stored facts, the new one and the definitions, neither verdict nor reason.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parent / "data" / "judge"


def main() -> None:
    first = {}
    for file in sorted(DATA.glob("adjudication-*.jsonl")):
        first.update({case["id"]: case for case in map(json.loads, file.read_text("utf-8").splitlines())})
    second = [json.loads(line) for line in (DATA / "second-labels.jsonl").read_text("utf-8").splitlines()]
    rows: Counter[tuple[str, bool]] = Counter()
    for label in second:
        case = first[label["id"]]
        same = label["verdict"] == case["verdict"] and label["target"] == case["target"]
        rows[case["verdict"], same or label["verdict"] in case["accept"]] += 1
    print(f"{'verdict':12} {'cases':>6} {'agreed':>7}")
    for verdict in sorted({verdict for verdict, _ in rows}):
        agreed, other = rows[verdict, True], rows[verdict, False]
        print(f"{verdict:12} {agreed + other:6} {agreed:7}")
    print(f"{'all':12} {len(second):6} {sum(count for (_, same), count in rows.items() if same):7}")


if __name__ == "__main__":
    main()
