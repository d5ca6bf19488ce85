"""`shilu protocol`: serves both memory protocols, and lets a person rule on what their clients asked for."""

from __future__ import annotations

import argparse
import json

from shilu_core.errors import UsageError

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    serve = verbs.add_parser("serve", help="serve dsh-memory-protocol/v1 and mm/v1 to one client")
    serve.add_argument("--stdio", action="store_true", help="on standard input and output, one JSON object a line")
    pending = verbs.add_parser("pending", help="writes and proposals that wait for a person")
    pending.add_argument("--json", action="store_true")
    verbs.add_parser("verify", help="replay the audit rows against the stored entries")
    schema = verbs.add_parser("schema", help="the JSON Schema of entry, error and envelope")
    schema.add_argument("name", nargs="?", choices=("entry", "error", "envelope"))
    for name, text in (("allow", "carry out a waiting write or proposal"), ("refuse", "end its waiting")):
        verbs.add_parser(name, help=text).add_argument("id", metavar="ID")


def run(arguments: argparse.Namespace, context: Context) -> int:
    verbs = {
        "serve": _serve,
        "verify": _verify,
        "schema": _schema,
        "pending": _pending,
        "allow": _rule,
        "refuse": _rule,
    }
    return verbs[arguments.verb](arguments, context)


def _serve(arguments: argparse.Namespace, context: Context) -> int:
    if not arguments.stdio:
        raise UsageError("`shilu protocol serve` needs --stdio; over HTTP the daemon serves POST /rpc")
    from shilu_core.ledger import ledger_path

    from shilu_host.rpc.further import MmMethods
    from shilu_host.rpc.opening import Opener
    from shilu_host.rpc.server import Server
    from shilu_host.rpc.stdio import serve
    from shilu_host.rpc.vault_store import open_vault_store

    opener = Opener(lambda: open_vault_store(context.settings, ledger_path(context.vault, context.state)))
    return serve(lambda send: Server(send, opener, MmMethods()))


def _schema(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_host.protocol.schemas import schema, schema_of

    context.say(json.dumps(schema_of(arguments.name) if arguments.name else schema(), indent=2))
    return 0


def _verify(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_core.entries.replay import differences
    from shilu_core.hidden import visible

    from shilu_host.rpc import rulings

    with rulings.opened(context) as ledger:
        found = differences(ledger)
    for item in found:
        absent = context.text("protocol-absent")
        shown = [absent if text is None else visible(text) for text in (item.replayed, item.stored)]
        context.tell("protocol-audit-differs", entry=item.entry_id, replayed=shown[0], stored=shown[1])
    context.tell("protocol-differences" if found else "protocol-equal", count=len(found))
    return 1 if found else 0


def _pending(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_core.hidden import visible

    from shilu_host.rpc import rulings

    with rulings.opened(context) as ledger:
        found = rulings.waiting(ledger)
    if arguments.json:
        rows = [
            {"id": item.id, "kind": item.kind, "text": item.text, "sessionId": item.session_id, "since": item.since}
            for item in found
        ]
        context.say(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for item in found:
        context.say(f"{item.id}  {visible(item.text).replace(chr(10), chr(10) + '    ')}")
    context.tell("protocol-waiting" if found else "protocol-none-waiting", count=len(found))
    return 0


def _rule(arguments: argparse.Namespace, context: Context) -> int:
    from shilu_host.rpc import rulings
    from shilu_host.rpc.vault_store import configured

    with rulings.opened(context) as ledger:
        item = rulings.find(ledger, arguments.id)
        if item is None:
            raise UsageError(f"nothing waits under {arguments.id!r}; `shilu protocol pending` lists the ids")
        if arguments.verb == "refuse":
            rulings.refuse(item, ledger)
            context.tell("protocol-refused", item=item.id)
            return 0
        result = rulings.allow(item, ledger, configured(context.settings))
    stored = [result["entry"]] if "entry" in result else result["entries"]
    context.tell("protocol-allowed", item=item.id, entries=", ".join(entry["id"] for entry in stored))
    return 0
