"""One file that makes the environment and shows the product: `python3 setup/bootstrap.py demo|test`.

`demo` makes `.venv`, installs, copies `vault-example`, lets three agents submit, reviews, decides, applies and
recalls; it touches nothing outside the folder that it names. `test` runs the whole test suite in the same
environment. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".venv"
LOWEST = (3, 11)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bootstrap.py", description="make .venv, then show or test Shilu")
    parser.add_argument("action", choices=("demo", "test", "install"))
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="test: further arguments for pytest")
    arguments = parser.parse_args()
    if sys.version_info < LOWEST:
        print(f"Python {LOWEST[0]}.{LOWEST[1]} or newer is needed; this is {sys.version.split()[0]}", file=sys.stderr)
        return 1
    python = install(test=arguments.action == "test")
    if arguments.action == "demo":
        folder = Path(os.environ.get("SHILU_DEMO_FOLDER") or tempfile.mkdtemp(prefix="shilu-demo-"))
        return subprocess.call([python, "-m", "shilu_host.demo", str(PROJECT / "vault-example"), str(folder)])
    if arguments.action == "test":
        return subprocess.call([python, "-m", "pytest", "-n", "auto", *arguments.rest], cwd=PROJECT)
    print(f"installed; commands are in {Path(python).parent}")
    return 0


def install(*, test: bool) -> str:
    """Makes `.venv` and installs the project in it, with what its tests need if asked; returns its interpreter."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _works(python):
        print(f"making {ENVIRONMENT}", flush=True)
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        venv.create(ENVIRONMENT, with_pip=True)
    print("installing (some minutes the first time)", flush=True)
    target = f"{PROJECT}[test]" if test else str(PROJECT)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target]
    done = subprocess.run(command)
    if done.returncode:
        print("the installation failed; pip's message stands above. Without a network, give pip an index it can reach", file=sys.stderr)
        raise SystemExit(1)
    return str(python)


def _works(python: Path) -> bool:
    return python.exists() and subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
