"""The commands, one row each: name, module, one-line help. A module is imported when its command runs.

A module has `arguments(parser)` and `run(arguments, context) -> int` (the exit code).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One row of the table."""

    name: str
    module: str
    help: str


COMMANDS: tuple[Command, ...] = (
    Command("init", "shilu_host.commands.init", "make a vault"),
    Command("submit", "shilu_host.commands.submit", "drop facts into the inbox"),
    Command("retract", "shilu_host.commands.retract", "ask that a fact be taken back"),
    Command("review", "shilu_host.commands.review", "judge what waits in the inbox"),
    Command("decide", "shilu_host.commands.decide", "rule on one item of the review"),
    Command("apply", "shilu_host.commands.apply", "write the accepted items into the notes"),
    Command("adjudicate", "shilu_host.commands.adjudicate", "rule on what waits, one key a decision"),
    Command("undo", "shilu_host.commands.undo", "take a fact or a batch back out"),
    Command("log", "shilu_host.commands.log", "what was written and undone, newest first"),
    Command("verify", "shilu_host.commands.verify", "replay the ledger against the notes"),
    Command("search", "shilu_host.commands.search", "find facts"),
    Command("show", "shilu_host.commands.show", "print a note or a fact"),
    Command("index", "shilu_host.commands.index", "bring the search index up to date, rebuild it, embed"),
    Command("graph", "shilu_host.commands.graph", "what facts share: export, communities, orphans"),
    Command("status", "shilu_host.commands.status", "vault, inbox, index, and what waits"),
    Command("doctor", "shilu_host.commands.doctor", "tell what is wrong or odd in vault, ledger and index"),
    Command("forget", "shilu_host.commands.forget", "list what could be forgotten"),
    Command("daemon", "shilu_host.commands.daemon", "the resident process: start, stop, status, run"),
    Command("mcp", "shilu_host.commands.mcp", "the MCP server on standard input and output"),
    Command("token", "shilu_host.commands.token", "tokens bound to one agent"),
    Command("hook", "shilu_host.commands.hook", "recall for one turn of an agent"),
    Command("quarantine", "shilu_host.commands.quarantine", "list or purge files that held a secret"),
    Command("ledger", "shilu_host.commands.ledger", "export or import the ledger"),
    Command("deploy", "shilu_host.commands.deploy", "wire agent programs to the memory, or take it out"),
    Command("service", "shilu_host.commands.service", "start the daemon at login; state of the regular runs"),
    Command("protocol", "shilu_host.commands.protocol", "serve the memory protocols; decide what their clients asked"),
    Command("mm", "shilu_host.commands.mm", "read and write a memory in the mm v1 format"),
    Command("import", "shilu_host.commands.import_", "take entries over from an export or another memory tool"),
    Command("export", "shilu_host.commands.export", "give all entries of the memory protocol as one document"),
    Command("conformance", "shilu_host.commands.conformance", "check any provider of the memory protocols"),
)
