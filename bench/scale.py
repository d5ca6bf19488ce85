"""How the engine grows: search p50/p95, building, one-line edits, memory and disk for 1k to 1M facts.

    python bench/scale.py --sizes 1000 10000 100000 1000000 [--no-vectors]

Lines are made up from word lists (services, hosts, ports, people, in English and Chinese), so that vocabulary grows with
the number of facts as it does in a vault; vectors are clustered unit vectors, as those of texts are. Each size runs
in a process of its own. CPU and wall times are of the search alone: a question's embedding is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# In the place of this folder, whose modules have names of the standard library.
sys.path[0] = str(Path(__file__).resolve().parent.parent / "core")

import numpy as np

SEED = 20260101
DIMENSIONS = 384
CLUSTER = 50  # lines a cluster
PER_NOTE = 500
_SYLLABLES = ["ka", "mi", "ro", "ta", "lo", "ne", "su", "vi", "po", "ra", "du", "xe", "no", "li", "ba", "go"]
_HAN = "部署端口主机数据库缓存网关备份日志监控证书迁移版本测试生产回滚队列订单支付库存物流客服报表权限审批发布构建镜像节点集群磁盘内存超时重试限流告警"
_TEMPLATES = [
    "{service} listens on port {port} of {host}.",
    "{service} 跑在 {host}，端口 {port}，{han}由 {person} 负责",
    "The nightly {verb} of {service} starts at {hour}:30 and takes {n} minutes; {person} is paged when it fails.",
    "{han}之前先在 {host} 上{han2}，{service} 的版本是 {n}.{hour}.{port}",
    "{person} decided that {service} keeps its {verb} logs for {n} days on {host}.",
    "{service} 的{han}放在 /srv/{service}/{verb}，不要直接改 {host} 上的文件",
]
_VERBS = [
    "backup",
    "import",
    "export",
    "sync",
    "report",
    "cleanup",
    "index",
    "deploy",
    "billing",
    "archive",
    "migration",
]


def words(generator: random.Random, count: int, syllables: int) -> list[str]:
    return ["".join(generator.choice(_SYLLABLES) for _ in range(syllables)) for _ in range(count)]


def make_lines(count: int) -> list[str]:
    generator = random.Random(SEED)
    services = [
        f"{a}-{b}"
        for a, b in zip(words(generator, 40 + count // 60, 3), words(generator, 40 + count // 60, 2), strict=True)
    ]
    hosts = words(generator, 20 + count // 400, 3)
    people = [name.capitalize() for name in words(generator, 30 + count // 1000, 2)]
    out = []
    for number in range(count):
        han = "".join(generator.sample(_HAN, 4))
        out.append(
            generator.choice(_TEMPLATES).format(
                service=generator.choice(services), host=generator.choice(hosts), person=generator.choice(people),
                port=generator.randint(1024, 65000), hour=generator.randint(0, 23), n=number % 97, han=han[:2],
                han2=han[2:], verb=generator.choice(_VERBS),
            )
        )  # fmt: skip
    return out


def make_questions(lines: list[str], count: int) -> list[str]:
    """Questions about single lines: some of their words, in their language, as people ask."""
    generator = random.Random(SEED + 1)
    out = []
    for _ in range(count):
        line = generator.choice(lines)
        parts = line.replace("，", " ").replace(",", " ").split()
        kept = " ".join(generator.sample(parts, min(len(parts), generator.randint(2, 6))))
        out.append(
            generator.choice(["which port does {} use?", "{} 现在放在哪台机器上", "who looks after {}", "{}"]).format(
                kept
            )
        )
    return out


def write_vault(folder: Path, lines: list[str]) -> None:
    root = folder / "memory"
    (root / "inbox").mkdir(parents=True)
    for start in range(0, len(lines), PER_NOTE):
        note = root / f"area-{start // PER_NOTE // 40:03d}" / f"note-{start // PER_NOTE:05d}.md"
        note.parent.mkdir(exist_ok=True)
        text = "".join(
            f"- {line} (written 2026-03-{1 + n % 28:02d} | source: inbox/agent-20260301-120000-01.md)\n"
            for n, line in enumerate(lines[start : start + PER_NOTE])
        )
        note.write_text(f"# Area {start // PER_NOTE}\n\n{text}", encoding="utf-8")


class Clustered:
    """An embedder of made-up vectors: clustered unit vectors, equal for equal texts."""

    name = model_id = "clustered"
    dimensions = DIMENSIONS
    scripts = frozenset({"latin", "han", "kana", "hangul"})

    def __init__(self, clusters: int) -> None:
        generator = np.random.default_rng(SEED)
        self._centres = generator.standard_normal((max(8, clusters), DIMENSIONS), dtype=np.float32)

    def may_vote(self, text: str) -> bool:
        return True

    def passages(self, texts: list[str]) -> np.ndarray:
        generator = np.random.default_rng(len(texts) + sum(map(len, texts)))
        picked = self._centres[generator.integers(0, len(self._centres), len(texts))]
        out = picked + 0.7 * generator.standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True), np.float32)

    def query(self, text: str) -> np.ndarray:
        return self.passages([text])[0]


def measure(size: int, questions: int, vectors: bool) -> dict[str, float]:
    from shilu_core.recall.engine import Engine
    from shilu_core.vault import recognise

    folder = Path(tempfile.mkdtemp(prefix="shilu-scale-"))
    lines = make_lines(size)
    asked = make_questions(lines, questions)
    write_vault(folder / "vault", lines)
    del lines
    vault = recognise(folder / "vault")
    started, cpu = time.perf_counter(), time.process_time()
    engine = Engine.open(vault, folder / "cache")
    out = {"facts": size, "index s": time.perf_counter() - started, "index cpu s": time.process_time() - cpu}
    disk = sum(path.stat().st_size for path in (folder / "cache").rglob("*") if path.is_file())
    out["disk B/fact"] = disk / size
    out["build peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if vectors:
        with_vectors(engine, folder, size)
        for question in asked:
            engine.meaning.rank  # noqa: B018
            engine.meaning._vector_of(question)
    engine.search(asked[0])
    wall, used = [], []
    for question in asked:
        started, cpu = time.perf_counter(), time.process_time()
        engine.search(question)
        wall.append((time.perf_counter() - started) * 1e3)
        used.append((time.process_time() - cpu) * 1e3)
    for name, values in (("cpu", used), ("wall", wall)):
        out[f"{name} p50 ms"], out[f"{name} p95 ms"] = (float(np.percentile(values, p)) for p in (50, 95))
    out["edit ms"] = edited(engine, vault)
    engine.close()
    started = time.perf_counter()
    Engine.open(vault, folder / "cache").close()
    out["reopen ms"] = (time.perf_counter() - started) * 1e3
    out["cold ms"] = cold(folder)
    out["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    shutil.rmtree(folder, ignore_errors=True)
    return out


def with_vectors(engine: object, folder: Path, size: int) -> None:
    from shilu_core.embed.store import VectorStore
    from shilu_core.recall.meaning import texts
    from shilu_core.recall.stored_meaning import stored_meaning

    embedder = Clustered(size // CLUSTER)
    store = VectorStore(folder / "cache" / "vectors", embedder.model_id, DIMENSIONS)
    part: list[str] = []
    for text in texts(engine.index):
        part.append(text)
        if len(part) == 5000:
            store.add(part, embedder.passages(part))
            part = []
    if part:
        store.add(part, embedder.passages(part))
    store.close()
    engine.meaning = stored_meaning(engine.index, embedder, folder / "cache" / "vectors")


def edited(engine: object, vault: object) -> float:
    """Milliseconds from a one-line edit to its being found, the median of five."""
    took = []
    note = next(iter(vault.note_ids()))
    for number in range(5):
        path = vault.note_path(note)
        text = path.read_text(encoding="utf-8")
        path.write_text(text + f"- the zanzibar flag {number} is set on quux{number}\n", encoding="utf-8")
        started = time.perf_counter()
        engine.refresh()
        hits = engine.search(f"zanzibar quux{number}").hits
        took.append((time.perf_counter() - started) * 1e3)
        assert hits and f"quux{number}" in hits[0].fact.text
    return sorted(took)[2]


def cold(folder: Path) -> float:
    """Milliseconds of a new process that opens the index and answers, without model and daemon."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from pathlib import Path; from shilu_core.recall.engine import Engine; from shilu_core.vault import recognise;"
        "print(len(Engine.open(recognise(sys.argv[2]), Path(sys.argv[3])).search('which port does backup use?').hits))"
    )
    core = Path(__file__).resolve().parent.parent / "core"
    command = [sys.executable, "-c", code, str(core), str(folder / "vault"), str(folder / "cache")]
    took = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        took.append((time.perf_counter() - started) * 1e3)
    return min(took)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--no-vectors", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(arguments.sizes[0], arguments.questions, not arguments.no_vectors)))
        return 0
    header: list[str] = []
    for size in arguments.sizes:
        command = [sys.executable, __file__, "--child", "--sizes", str(size), "--questions", str(arguments.questions)]
        done = subprocess.run(
            [*command, *(["--no-vectors"] if arguments.no_vectors else [])], capture_output=True, text=True
        )
        if done.returncode:
            print(f"{size}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        row = json.loads(done.stdout.strip().splitlines()[-1])
        if not header:
            header = list(row)
            print("| " + " | ".join(header) + " | load |\n|" + "---:|" * (len(header) + 1))
        print("| " + " | ".join(f"{row[name]:.5g}" for name in header) + f" | {os.getloadavg()[0]:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
