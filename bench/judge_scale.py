"""Time and memory of judging many lines against many facts, all made up from a seed.

    python bench/judge_scale.py                            # 1,000 lines against 100,000 facts, no embedder
    python bench/judge_scale.py --embedder                 # the index's vectors at hand, new lines embedded

A third of the lines restate a fact, a third state another value, a third are about something else. Prints
seconds, peak memory, and how often the fact meant was found.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from shilu_core.embed import EmbedderSettings, resolve
from shilu_core.facts import Fact
from shilu_inbox.judge import judge
from shilu_inbox.verdicts import Submitted

_SYLLABLES = "ba co da el fi go hu in ka lo mi no pa qu ra si to ul ve wo xi yo za".split()  # noqa: SIM905
_FORMS = (
    # a fact, the same in other words, with another value; {n} name, {e} environment, {v} value, {w} another
    ("{n} listens on port {v} in {e}.", "In {e}, {n} uses port {v}.", "{n} listens on port {w} in {e}."),
    ("{n} 在 {e} 环境的超时是 {v} 秒", "{e} 环境里 {n} 的超时：{v}s", "{n} 在 {e} 环境的超时是 {w} 秒"),
    ("{n} keeps {v} days of logs on {e}.", "Logs of {n} on {e} are kept {v} days.", "{n} keeps {w} days of logs on {e}."),
    ("{n} 的负责人是 {p}（{e}）", "{e} 的 {n} 由 {p} 负责", "{n} 的负责人是 {q}（{e}）"),
    ("The {e} database of {n} is on host db-{v}.", "{n}'s {e} database: db-{v}", "The {e} database of {n} is on host db-{w}."),
    ("{n} 的 {e} 配置放在 /etc/{n}/{v}.toml", "/etc/{n}/{v}.toml 是 {n} 的 {e} 配置", "{n} 的 {e} 配置放在 /etc/{n}/{w}.toml"),
)  # fmt: skip
_OTHER = ("{n} was named after a river.", "{n} 的标志是一只 {p}", "Nobody remembers who started {n} in year {v}.")
_ENVIRONMENTS = ("staging", "prod", "dev", "qa", "demo")


class Made:
    """Facts and lines about them from one seed."""

    def __init__(self, facts: int, lines: int) -> None:
        self.random = random.Random(7)
        names = self._names(facts // 8 + 1)
        filled = [(self.random.choice(_FORMS), self._values(self.random.choice(names))) for _ in range(facts)]
        self.facts = [Fact(str(at), form[0].format(**values), "n.md", at, at + 1)
                      for at, (form, values) in enumerate(filled)]  # fmt: skip
        self.lines: list[Submitted] = []
        self.meant: list[int | None] = []
        for at in range(lines):
            place = self.random.randrange(facts)
            form, values = filled[place]
            kind = at % 3
            text = form[1 + kind].format(**values) if kind < 2 else self.random.choice(_OTHER).format(**values)
            self.lines.append(Submitted(text, "scale.md", "", at + 1))
            self.meant.append(place if kind < 2 else None)

    def _names(self, count: int) -> list[str]:
        return ["".join(self.random.choices(_SYLLABLES, k=3)) + self.random.choice(("", "-api", "-db", "-web"))
                for _ in range(count)]  # fmt: skip

    def _values(self, name: str) -> dict[str, object]:
        one, other = self.random.sample(range(10, 9999), 2)
        people = self.random.sample(["阿橙", "小顾", "老沈", "阿铎", "小芮", "老郭"], 2)
        return {"n": name, "e": self.random.choice(_ENVIRONMENTS), "v": one, "w": other, "p": people[0], "q": people[1]}


def stored_vectors(folder: Path, made: Made, embedder: object) -> object:
    """Vectors for the facts as the index would hold them, of random direction: only their cost counts here."""
    from shilu_core.embed.search import RowVectors
    from shilu_core.embed.store import VectorStore

    store = VectorStore(folder, embedder.model_id, embedder.dimensions)
    rng = np.random.default_rng(7)
    texts = [fact.text for fact in made.facts]
    for start in range(0, len(texts), 5000):
        part = texts[start : start + 5000]
        rows = rng.standard_normal((len(part), embedder.dimensions)).astype(np.float32)
        store.add(part, rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return RowVectors(store)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--lines", type=int, default=1_000)
    parser.add_argument("--embedder", action="store_true")
    arguments = parser.parse_args()
    made = Made(arguments.facts, arguments.lines)
    embedder = resolve(EmbedderSettings()) if arguments.embedder else None
    with tempfile.TemporaryDirectory() as folder:
        stored = stored_vectors(Path(folder), made, embedder) if embedder else None
        before = _peak()
        start, spent = time.monotonic(), time.process_time()
        judged = judge(made.lines, made.facts, embedder=embedder, stored=stored, progress=_bar)
        wall, spent = time.monotonic() - start, time.process_time() - spent
    found = [
        one.target is not None and int(one.target.id) == meant
        for one, meant in zip(judged, made.meant, strict=True)
        if meant is not None
    ]
    print(
        f"\n{arguments.lines:,} lines against {arguments.facts:,} facts, embedder {getattr(embedder, 'name', 'none')}"
    )
    print(f"{wall:.1f} s ({spent:.1f} s of CPU), peak memory {_peak():.0f} MB ({before:.0f} MB before)")
    print(f"fact meant found: {sum(found)} of {len(found)}")


def _bar(done: int, total: int) -> None:
    if done % 500 == 0 and sys.stderr.isatty():
        print(f"\r{done:,} of {total:,}", end="", file=sys.stderr)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
