"""`shilu init PATH [--lang zh|en]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from shilu_core.creation import create
from shilu_core.files import create_exclusive
from shilu_core.layout import Language
from shilu_core.ledger import vault_identity

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="?", help="folder of the vault; made where it does not stand")
    parser.add_argument("--lang", choices=("zh", "en"), default=None, help="names and texts (default: en, or by LANG)")


def run(arguments: argparse.Namespace, context: Context) -> int:
    folder = arguments.path or context.settings.vault
    if not folder:
        print("usage: shilu init PATH [--lang zh|en]")
        return 2
    spoken: Language = "zh" if context.environment.get("LANG", "").startswith("zh") else "en"
    language: Language = arguments.lang or spoken
    vault = create(Path(folder), language)
    vault_identity(vault)
    context.say(f"vault ({vault.layout.language}): {vault.folder}")
    _remember(vault.folder, context)
    _offer_wiring(context)
    context.say('next: shilu submit "a fact" --agent me, then promoter --review')
    return 0


def _remember(folder: Path, context: Context) -> None:
    """Names the vault in a new configuration file; an existing one is the person's own."""
    try:
        create_exclusive(context.config_file, f"vaultPath = {_quoted(str(folder))}\n".encode())
        context.say(f"configuration: {context.config_file}")
    except FileExistsError:
        if context.settings.vault != str(folder):
            context.say(f"to use it by default: set vaultPath = {_quoted(str(folder))} in {context.config_file}")


def _offer_wiring(context: Context) -> None:
    """Names the agent programs that are here and how to wire them; changes nothing."""
    from shilu_setup.detecting import present

    titles = present(context.environment)
    if titles:
        context.say(
            f"agent programs here: {', '.join(titles)}; to wire them: shilu deploy preview --create, then apply"
        )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
