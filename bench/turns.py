"""Whole turns through gate, search and abstention: `python bench/turns.py gate.jsonl [--vault DIR] [--embedder none]`.

Each line of the file has `message` and `recall` (does it need stored memory). Prints how many of either kind got a block,
and why the others did not. Waits for the vault's vectors first, so that a second run prints the same.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.pop(0)  # this folder holds modules named like the standard library's
from shilu_host.context import Context
from shilu_host.daemon.service import Service, Wiring
from shilu_host.embedders import embedder
from shilu_host.turns.turn import Turn

ROOT = Path(__file__).parents[1]


def _all_embedded(service: Service) -> None:
    """Waits until every line of the vault has its vector: what is found before that depends on the machine's speed."""
    engine = service._engine
    while engine is not None and engine.meaning is not None and len(engine.meaning) < int((~engine.index.dead).sum()):
        time.sleep(0.2)
        engine.meaning.refresh()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--vault", type=Path, default=ROOT / "vault-example")
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--show", action="store_true", help="print off-topic messages that got a block")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        vault = Path(name) / "vault"
        shutil.copytree(given.vault, vault)
        context = Context(
            {
                **os.environ,
                "HOME": name,
                "SHILU_STATE_DIR": f"{name}/state",
                "SHILU_CACHE_DIR": f"{name}/cache",
                "SHILU_EMBEDDER": given.embedder,
                "SHILU_CONFIG": f"{name}/none",
            },
            {"vaultPath": str(vault)},
        )
        service = Service(
            Wiring(
                context.vault,
                context.config_file,
                context.environment,
                context.flags,
                context.state,
                context.vault_cache,
                lambda: embedder(context),
            )
        )
        service.open()
        _all_embedded(service)
        reasons: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for number, line in enumerate(given.file.read_text(encoding="utf-8").splitlines()):
            case = json.loads(line)
            turn = Turn("generic", "prompt", case["message"], f"s{number}")
            reply, _ = service.turn(turn, service.settings(), time.monotonic() + 60)
            reasons[bool(case["recall"])][reply.reason] += 1
            if given.show and reply.block and not case["recall"]:
                print(f"  off topic, with a block: {case['message']}")
        service.close()
    for kind, label in ((True, "need memory"), (False, "off topic")):
        total = sum(reasons[kind].values()) or 1
        print(
            f"{label}: {reasons[kind]['shown']} of {total} got a block ({reasons[kind]['shown'] / total:.1%}); {dict(reasons[kind])}"
        )


if __name__ == "__main__":
    main()
