#!/usr/bin/env python3
"""`python setup/deploy.py detect|preview|apply|rollback|selfcheck ...`: the deployer from a checkout.

Detecting, previewing and JSON need a bare Python only. Editing TOML and YAML needs two packages: where they
are missing, this starts itself again in the environment that `setup/bootstrap.py` made.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path[:] = [entry for entry in sys.path if entry != ""]


def missing() -> bool:
    return any(find_spec(name) is None for name in ("tomlkit", "ruamel")) or find_spec("ruamel.yaml") is None


def rerun() -> None:
    """Replaces this process by one in the bootstrap's environment, once."""
    made = HERE.parent / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if made.exists() and os.environ.get("SHILU_DEPLOY_RERUN") != "1":
        os.environ["SHILU_DEPLOY_RERUN"] = "1"
        if sys.platform == "win32":
            import subprocess

            sys.exit(subprocess.call([str(made), __file__, *sys.argv[1:]]))
        os.execv(made, [str(made), __file__, *sys.argv[1:]])


if __name__ == "__main__":
    if missing():
        rerun()
    from shilu_setup.cli import main

    sys.exit(main())
