"""`shilu init PATH [--lang zh|en]`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from shilu_core.creation import create
from shilu_core.errors import UsageError, VaultMissing
from shilu_core.files import create_exclusive
from shilu_core.layout import Language
from shilu_core.ledger import vault_identity
from shilu_core.vault import recognise

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="?", help="folder of the vault; made where it does not stand")
    parser.add_argument("--lang", choices=("zh", "en"), default=None, help="names and texts (default: by LANG, else en)")


def run(arguments: argparse.Namespace, context: Context) -> int:
    folder = arguments.path or context.settings.vault
    if not folder:
        raise UsageError("name a folder for the vault: shilu init PATH [--lang zh|en]")
    vault = create(Path(folder), arguments.lang or _language(Path(folder), context))
    vault_identity(vault)
    said = replace(context, flags={**context.flags, "vaultPath": str(vault.folder)})  # speaks as the new vault does
    said.tell("vault-made", layout=vault.layout.language, folder=vault.folder)
    _remember(vault.folder, said, context)
    _offer_wiring(said)
    said.tell("init-next")
    return 0


def _language(folder: Path, context: Context) -> Language:
    """The language of the vault that stands there, else of the person's locale."""
    try:
        return recognise(folder).layout.language
    except VaultMissing:
        names = ("SHILU_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
        spoken = next((context.environment[name] for name in names if context.environment.get(name)), "")
        return "zh" if spoken.startswith("zh") else "en"


def _remember(folder: Path, said: Context, context: Context) -> None:
    """Names the vault in a new configuration file; an existing one is the person's own."""
    try:
        create_exclusive(context.config_file, f"vaultPath = {_quoted(str(folder))}\n".encode())
        said.tell("configuration-made", file=context.config_file)
    except FileExistsError:
        if context.settings.vault != str(folder):
            said.tell("configuration-own", line=f"vaultPath = {_quoted(str(folder))}", file=context.config_file)


def _offer_wiring(context: Context) -> None:
    """Names the agent programs that are here and how to wire them; changes nothing."""
    from shilu_setup.detecting import present

    titles = present(context.environment)
    if titles:
        context.tell("programs-here", titles=", ".join(titles))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
