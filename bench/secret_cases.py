"""How well plaintext secrets are told from what only looks like one, and how fast.

    python bench/secret_cases.py              own cases (bench/data/guards/secrets.jsonl)
    python bench/secret_cases.py --cases DIR  ... and DIR/secrets.jsonl
    python bench/secret_cases.py --misses     ... and every miss, masked

A well-kept detector was measured on the same texts and not taken: detect-secrets 1.5.0, each line by `scan_line` with
its default plug-ins, finds 148 of our 160 secrets and takes 126 of the 150 others for secrets (shared set: 41 of 44,
29 of 32); its import takes 0.4 s and brings `requests`. It is written for code, where a person keeps a baseline.

Texts are stored in ROT13, so that secret scanners leave the files alone. (This file is not called `secrets.py`: it would
hide the standard library's module from every script of this folder.)
"""

from __future__ import annotations

import argparse
import codecs
import json
import sys
import time
from pathlib import Path

from guard_table import Judged, print_table
from shilu_core import secrets

HERE = Path(__file__).parent
SPEED = {
    "English prose": "The deployment of the gateway runs at 22:00 and the logs are kept for 30 days under /var/log/app. ",
    "Chinese prose": "网关的部署在每晚十点进行，日志保存三十天，路径是 /var/log/app，密码存在 Keychain。",
    "one letter": "a",
    "names only": "password ",
    "names and links": "密码是",
    "qualifiers": "secret for ",
    "addresses": "a://b:",
    "quotation marks": 'password: "',
    "placeholders": "password: my_a!",
}


def score(path: Path, *, misses: bool) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    cases = (_judged(row) for row in rows)
    print_table(path, cases, found="secrets refused", passed="others passed", misses=misses)


def _judged(row: dict) -> Judged:
    text = codecs.decode(row["rot13"], "rot13")
    return Judged(row["kind"], row["secret"], bool(secrets.find(text)), _shown(text, row["secret"]))


def _shown(text: str, is_secret: bool) -> str:
    return codecs.encode(text, "rot13") + " (ROT13)" if is_secret else text


def speed() -> None:
    print("\n64 KiB of               ms of processor")
    for name, piece in SPEED.items():
        text = (piece * 65536)[:65536]
        start = time.process_time()
        secrets.find(text)
        print(f"  {name:24} {1000 * (time.process_time() - start):12.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, help="a folder with secrets.jsonl")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    score(HERE / "data/guards/secrets.jsonl", misses=options.misses)
    if options.cases:
        score(options.cases / "secrets.jsonl", misses=options.misses)
    speed()
    return 0


if __name__ == "__main__":
    sys.exit(main())
