"""Our table: Shilu beside rank-bm25, bm25s, FTS5 and the harness's reference hybrid, on the sets of a data folder.

    SHILU_EMBED_CACHE=CACHE PYTHONPATH=HARNESS python bench/recall.py --data DATA [SET ...]

Needs the retrieval harness on PYTHONPATH; prints one row a system with nDCG@10 (R@10) a set, and whether the fused
result is anywhere more than .01 below the best single stream ("no regret").
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

_BENCH = Path(__file__).resolve().parent
sys.path[0] = str(_BENCH.parent / "core")

from recallbench.adapters.registry import make
from recallbench.model import load
from recallbench.runner import run_one

OURS = {"Shilu": "Shilu", "Shilu without vectors": "Lexical"}
STREAMS = {
    "bm25 alone": "OnlyBm25",
    "bigram alone": "OnlyBigram",
    "trigram alone": "OnlyTrigram",
    "vector alone": "OnlyVector",
}
OTHERS = {"rank-bm25 (pairs)": "rank_bm25:unibigram", "bm25s (pairs)": "bm25s:unibigram", "FTS5": "fts5:unicode61"}
REGRET = 0.01


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embed-cache", type=Path, help="vectors of the reference hybrid")
    parser.add_argument("--queries", type=int, help="an even sample of so many a set")
    parser.add_argument("--streams", action="store_true", help="each stream alone, too, and the regret")
    parser.add_argument("sets", nargs="*")
    arguments = parser.parse_args()
    names = arguments.sets or sorted(path.stem for path in arguments.data.glob("*.json"))
    systems = {label: f"{_BENCH / 'recall_adapter.py'}:{name}" for label, name in OURS.items()}
    if arguments.streams:
        systems |= {label: f"{_BENCH / 'recall_adapter.py'}:{name}" for label, name in STREAMS.items()}
    systems |= OTHERS
    if arguments.embed_cache:
        systems["reference hybrid"] = "hybrid:e5"
    print("| system | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names), flush=True)
    table: dict[str, dict[str, float]] = {}
    for label, spec in systems.items():
        cells = []
        for name in names:
            found = run_one(
                load(arguments.data / f"{name}.json"), "dev", label, make(spec, arguments.embed_cache),
                max_queries=arguments.queries, verbose=False,
            )["metrics"]  # fmt: skip
            table.setdefault(name, {})[label] = found["nDCG@10"]
            cells.append(f"{found['nDCG@10']:.3f} ({found['R@10']:.3f})")
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)
    if arguments.streams:
        for name, row in table.items():
            best = max(STREAMS, key=lambda label: row[label])
            regret = row[best] - row["Shilu"]
            print(
                f"{name}: best single stream {best} {row[best]:.3f}, regret {regret:+.3f}{' TOO MUCH' * (regret > REGRET)}"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
