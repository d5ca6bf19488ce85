"""The real server with one deliberate defect: `python broken_providers.py NAME`. The cases must tell each of
them.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from shilu_core import utf16
from shilu_core.entries import AuditLog, EntryStore, Viewpoint
from shilu_host import cli
from shilu_host.protocol import approvals, envelope, fields, pipeline, queries, snapshot, wire, writes
from shilu_host.protocol.books import Books
from shilu_host.rpc import messages, stdio
from shilu_host.rpc.server import Server


def counts_code_points():
    utf16.units = len


def counts_bytes():
    utf16.units = lambda text: len(text.encode("utf-8", "surrogatepass"))


def trims_text():
    plain = fields.text
    fields.text = lambda given: plain(given).strip()


def trims_tags_as_python_does():
    utf16.trim = str.strip


def folds_all_letters():
    plain = EntryStore.containing
    EntryStore.containing = lambda self, track, scope, match: [
        entry
        for entry in self.all()
        if (entry.track, entry.scope) == (track, scope) and match.casefold() in entry.text.casefold()
    ]
    assert plain


def sees_everything():
    Viewpoint.sees = lambda self, scope, workspace_key, agent_key: True


def asks_nobody():
    pipeline._ruling = lambda policy, settings, writer: approvals.ALLOWED


def lets_auto_beat_never():
    plain = pipeline._ruling
    pipeline._ruling = lambda policy, settings, writer: plain(policy, settings, replace(writer, never=False))


def leaves_no_denied_row():
    pipeline._note_denial = lambda *_: None


def hides_the_old_text():
    approvals.replacing = lambda old, new: new


def takes_any_yes():
    plain = approvals.read_outcome
    approvals.read_outcome = lambda answer: "allowed-once" if "allowed" in str(answer) else plain(answer)


def trusts_the_first_look():
    """Keeps the entry that was resolved before the approval."""
    plain, seen = Books.resolve, {}

    def resolve(self, target, match):
        return (
            seen.setdefault((target, match), None)
            or seen.update({(target, match): plain(self, target, match)})
            or seen[(target, match)]
        )

    Books.resolve = resolve


def forgets_the_second_budget_check():
    plain, state = Books.check_budget, {"asked": False}
    real = pipeline.carry_out

    def carry_out(books, settings, emit, plan, writer):
        commit = plan.commit

        def later(label):
            state["asked"] = True
            try:
                return commit(label)
            finally:
                state["asked"] = False

        return real(books, settings, emit, replace(plan, commit=later), writer)

    Books.check_budget = lambda self, *given: None if state["asked"] else plain(self, *given)
    import shilu_host.protocol.provider as provider

    provider.carry_out = carry_out


def checks_a_seed_entry_by_entry():
    writes._check_batch = lambda books, batch: [
        books.check_budget(item.track, item.scope, utf16.units(item.text)) for item in batch
    ]


def drops_tags_on_import():
    plain = envelope._input
    envelope._input = lambda number, item: {**plain(number, item), "tags": None}


def keeps_old_tags():
    fields.kept_tags = lambda given: fields.tags(given) or None


def starts_a_new_identity_on_replace():
    plain = Books.store_changed

    def store_changed(self, old, *given):
        self.entries.delete(old.id)
        return self.store_new(replace(plain(self, old, *given), id="x"), old.session_id)

    Books.store_changed = store_changed


def counts_recalls_too_early():
    plain = queries._visible

    def visible(*given):
        return [replace(entry, recall_count=entry.recall_count + 1) for entry in plain(*given)]

    queries._visible = visible


def renders_the_snapshot_anew():
    AuditLog.snapshot = lambda self, session_id: None


def shows_foreign_workspaces_in_snapshots():
    plain = snapshot.render
    snapshot.render = lambda books, viewpoint, language: plain(books, replace(viewpoint, workspace_key=None), language)


def names_the_global_policy():
    plain = approvals.label
    approvals.label = lambda outcome, via, policy: plain(outcome, via, "ask")


def adds_a_field():
    plain = wire.entry
    wire.entry = lambda value: {**plain(value), "extra": 1}


def prints_to_standard_output():
    stdio._own_stdout = lambda: (os.write(1, b"hello\n"), 1)[1]


def ends_lines_as_windows_does():
    plain = messages.write
    messages.write = lambda message: plain(message)[:-1] + b"\r\n"


def stops_reading_while_a_write_waits():
    plain, held = Server.receive, []

    def receive(self, line):
        if self._parked and not isinstance(messages.read(line), messages.Reply):
            held.append(line)
            return
        plain(self, line)
        while held and not self._parked:
            plain(self, held.pop(0))

    Server.receive = receive


def lives_on_after_its_input_closed():
    plain = stdio.serve

    def serve(make_server):
        plain(make_server)
        import time

        time.sleep(600)

    stdio.serve = serve


def ignores_cancel():
    Server._heed = lambda self, notification: None


def tells_unknown_events():
    import shilu_host.protocol.provider as provider

    provider.Provider._emit = lambda self, session_id, event: self._tell(session_id, event.type, event.data)


BROKEN = {
    name: value for name, value in vars().items() if callable(value) and getattr(value, "__module__", "") == __name__
}

if __name__ == "__main__":
    BROKEN[sys.argv[1]]()
    sys.exit(cli.main(["protocol", "serve", "--stdio"]))
