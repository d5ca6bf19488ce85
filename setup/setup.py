#!/usr/bin/env python3
"""The old verbs of dsh-unified-agent-memory's setup script: init, cron, selfcheck, agents, deploy.

`python setup/setup.py init --vault PATH` makes a vault, `cron` has the daemon and the daily run started,
`selfcheck` proves the wiring, `deploy ...` is `setup/deploy.py ...`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def shilu(*arguments: str) -> int:
    """One command of the installed program, in the environment of the bootstrap where there is one."""
    from shilu_setup.folders import Parts
    from shilu_setup.probes import INSTALL

    python = str(Parts.find().python)
    if subprocess.run([python, "-c", "import shilu_host"], capture_output=True).returncode:
        print(f"setup: shilu is not installed for {python}; install it first: {INSTALL}", file=sys.stderr)
        return 1
    return subprocess.call([python, "-m", "shilu_host", *arguments])


def init(parsed: argparse.Namespace) -> int:
    if not parsed.vault:
        print("setup: init needs a folder: setup.py init --vault PATH [--lang zh|en]", file=sys.stderr)
        return 2
    return shilu("init", parsed.vault, *(["--lang", parsed.lang] if parsed.lang else []))


def cron(parsed: argparse.Namespace) -> int:
    from shilu_setup.installing import main

    return main(["install", "--kind", "cron", *(["--vault", parsed.vault] if parsed.vault else [])])


def selfcheck(parsed: argparse.Namespace) -> int:
    return deploy(["selfcheck", *(["--vault", parsed.vault] if parsed.vault else [])])


def agents(parsed: argparse.Namespace) -> int:
    print("setup: `agents` writes nothing any more; see: python setup/deploy.py preview", file=sys.stderr)
    return 0


def deploy(arguments: Sequence[str]) -> int:
    return subprocess.call([sys.executable, str(HERE / "deploy.py"), *arguments])


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "init": init,
    "cron": cron,
    "selfcheck": selfcheck,
    "agents": agents,
}


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["deploy"]:
        return deploy(arguments[1:])
    parser = argparse.ArgumentParser(prog="setup", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("verb", choices=[*VERBS, "deploy"])
    parser.add_argument("--vault", metavar="PATH", default="")
    parser.add_argument("--lang", choices=["zh", "en"], default="")
    parsed = parser.parse_args(arguments)
    return VERBS[parsed.verb](parsed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
