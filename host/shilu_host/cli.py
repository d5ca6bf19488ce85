"""`shilu`: finds the command, hands it its context, turns errors into messages and exit codes.

Exit codes: 0 done, 1 expected failure, 2 wrong use, 3 bug (with a log file to send), 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Sequence

from shilu_core.errors import ShiluError

from shilu_host.commands import COMMANDS
from shilu_host.context import Context


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    name, before, after = _split(given)
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        return _without_command(name, before)
    module = importlib.import_module(command.module)
    parser = argparse.ArgumentParser(prog=f"shilu {name}", description=command.help)
    module.arguments(parser)
    return run(parser, module.run, [*before, *after], name)


def run(
    parser: argparse.ArgumentParser,
    action: Callable[[argparse.Namespace, Context], int],
    given: Sequence[str],
    name: str,
) -> int:
    """Parses `given`, runs `action`, and tells errors at the edge."""
    parser.add_argument(
        "--vault", metavar="PATH", default=None, help="the vault (else SHILU_VAULT or the configuration file)"
    )
    parser.add_argument("--verbose", action="store_true", help="say more on standard error")
    with contextlib.suppress(argparse.ArgumentError):  # a command with a `--lang` of its own means it for its texts, too
        parser.add_argument("--lang", choices=("zh", "en"), default=None, help="language of texts (default: the vault's)")
    _accept_any_text()
    parsed = parser.parse_args(given)
    flags = {"vaultPath": parsed.vault or "", "language": parsed.lang or ""}
    context = Context(os.environ, flags, parsed.verbose)
    if parsed.verbose:
        print(f"shilu: configuration {context.config_file}, state {context.state}, cache {context.cache}", file=sys.stderr)
    try:
        return action(parsed, context)
    except ShiluError as error:
        print(f"shilu: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as error:
        print(f"shilu: {_what_failed(error)}", file=sys.stderr)
        return 1
    except Exception as error:
        if _is_the_disks_fault(error):
            print(f"shilu: the ledger below {context.state} can't be written: {_mend(str(error))}", file=sys.stderr)
            return 1
        # The edge: a bug becomes a log file to send, not a traceback on the terminal.
        return _report_bug(error, name, context)


def _what_failed(error: OSError) -> str:
    where = f" at {error.filename}" if error.filename else ""
    return _mend(f"{error.strerror or error}{where}")


def _mend(what: str) -> str:
    return (
        f"{what}. Mend that (space, permissions, the path) and run the command again: "
        "what was begun is finished then, nothing is written twice"
    )


def _is_the_disks_fault(error: Exception) -> bool:
    """Whether SQLite failed for want of space, of permission or of a working disk, and not by a bug of ours."""
    sqlite3 = sys.modules.get("sqlite3")  # not imported for this: most commands that fail never opened a ledger
    if sqlite3 is None or not isinstance(error, sqlite3.OperationalError):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code
    return code in {getattr(sqlite3, f"SQLITE_{name}") for name in ("FULL", "IOERR", "READONLY", "CANTOPEN", "BUSY")}


def _report_bug(error: Exception, name: str, context: Context) -> int:
    from shilu_host.log import write_bug

    file = write_bug(context.state, name, error)
    print(f"shilu: a bug stopped `{name}` ({type(error).__name__}); please send {file}", file=sys.stderr)
    if context.verbose:
        raise error
    return 3


def _split(given: list[str]) -> tuple[str, list[str], list[str]]:
    """Command name, what stands before it, what stands behind it."""
    index = 0
    while index < len(given) and given[index].startswith("-"):
        index += 2 if given[index] in ("--vault", "--lang") else 1
    return (given[index] if index < len(given) else ""), given[:index], given[index + 1 :]


def _without_command(name: str, before: list[str]) -> int:
    if "--version" in before:
        print(f"shilu {_version()}")
        return 0
    if name:
        print(f"shilu: no command {name!r}; `shilu --help` lists them", file=sys.stderr)
        return 2
    width = max(len(command.name) for command in COMMANDS)
    rows = "\n".join(f"  {command.name:<{width}}  {command.help}" for command in COMMANDS)
    text = f"usage: shilu [--vault PATH] COMMAND ...\n\none shared, human-governed memory for a person's AI agents\n\n{rows}\n\n`shilu COMMAND --help` tells more."
    asked = any(option in ("-h", "--help") for option in before)
    print(text, file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("shilu")
    except PackageNotFoundError:
        return "(run from its sources, not installed)"


def _accept_any_text() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
