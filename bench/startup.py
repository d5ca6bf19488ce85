"""How long `shilu --help` and `promoter --review` on `vault-example` take, from process start to end; prints a table.

    python bench/startup.py [--rounds 11]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def measure(command: list[str], environment: dict[str, str], rounds: int) -> tuple[float, float, float]:
    """Least, median and greatest wall time in ms."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - start) * 1000)
    return min(times), statistics.median(times), max(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(PROJECT / "vault-example", vault)
        environment = {
            **os.environ,
            "SHILU_VAULT": str(vault),
            "SHILU_CONFIG": f"{folder}/config.toml",
            "SHILU_STATE_DIR": f"{folder}/state",
            "SHILU_CACHE_DIR": f"{folder}/cache",
        }
        shilu = [sys.executable, "-m", "shilu_host"]
        promoter = [sys.executable, "-m", "shilu_host.promoter_cli", "--review"]
        empty = ("promoter --review, nothing waits", measure(promoter, environment, rounds), 600)
        for fact in ("the gateway listens on 8443", "部署脚本放在 /srv/deploy", "lunch starts at noon"):
            subprocess.run([*shilu, "submit", fact, "--agent", "bench"], env=environment, check=True, stdout=subprocess.DEVNULL)
        rows = [
            ("shilu --help", measure([*shilu, "--help"], environment, rounds), 250),
            empty,
            ("promoter --review, 3 facts", measure(promoter, environment, rounds), 600),
        ]
    print(f"{'command':34} {'min ms':>8} {'median':>8} {'max':>8} {'bound':>8}   ({rounds} rounds)")
    for name, (least, median, most), bound in rows:
        print(f"{name:34} {least:8.0f} {median:8.0f} {most:8.0f} {bound:8}")


if __name__ == "__main__":
    main()
