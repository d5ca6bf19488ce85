"""Exactly once: the process is killed at every step of submit, apply, adjudicated apply and undo, and run again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import shilu_core.files as files
import shilu_inbox.desk
import shilu_inbox.plans
import shilu_inbox.review
from shilu_core.errors import ShiluError
from shilu_inbox.decide import decide
from shilu_inbox.undo import undo
from shilu_inbox.verify import verify

from tests import killing
from tests.worlds import World, make_world

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="killing at a step needs fork"),
]

HEAD = "# Environment\n\n> Machines, paths, ports, versions, and where credentials are kept; one fact a line.\n\n"
NEAREST_LEAST = 30  # points that every operation together must have, by the acceptance list


@dataclass(frozen=True)
class Operation:
    """`prepare` makes the world, `act` is what is killed, `again` what a person runs afterwards."""

    name: str
    prepare: Callable[[Path], World]
    act: Callable[[World], object]
    again: Callable[[World], object]
    end: Callable[[World], object]
    expected: object


def submitted(folder: Path) -> World:
    world = make_world(folder)
    world.submit("The staging gateway listens on port 8080", target="env")
    world.accept_all()
    world.submit("The staging gateway now listens on port 9090", target="env", agent="claude")
    world.submit("lunch starts at noon", "部署脚本放在 /srv/deploy", target="rules", agent="hermes")
    world.submit("Lunch starts at noon.", target="rules", agent="qwen")
    world.review()
    text = world.vault.pending.read_text(encoding="utf-8")
    world.vault.pending.write_text(text.replace("- [ ] ", "- [x] "), encoding="utf-8")
    return world


def conflicting(folder: Path) -> World:
    world = make_world(folder)
    world.submit("The staging gateway listens on port 8080", target="env")
    world.accept_all()
    world.submit("The staging gateway listens on port 9090", target="env", agent="claude")
    world.review()
    return world


def applied(folder: Path) -> World:
    world = submitted(folder)
    world.apply()
    return world


def creating(folder: Path) -> World:
    world = make_world(folder)
    (world.vault.root / "rules.md").unlink()
    world.submit("lunch starts at noon", target="rules", agent="hermes")
    world.review()
    text = world.vault.pending.read_bytes()
    world.vault.pending.write_bytes(text.replace(b"- [ ] ", b"- [x] "))
    return world


def standing_in_two_notes(folder: Path) -> World:
    world = make_world(folder)
    for name, head in (("environment.md", HEAD), ("rules.md", RULES)):
        world.write_note(name, f"{head}- The staging gateway listens on port 8080\n")
    fact = world.vault.parse("environment.md").facts[0]
    world.submit("birch builds everything", operation="replace", fact=fact.id, agent="claude")
    world.review()
    text = world.vault.pending.read_bytes()
    world.vault.pending.write_bytes(text.replace(b"- [ ] ", b"- [x] "))
    return world


def edited_meanwhile(folder: Path) -> World:
    world = make_world(folder)
    world.submit("birch builds everything", target="env", agent="claude")
    world.review()
    return world


def apply_beside_an_editor(world: World) -> None:
    """Applies while an editor saves once, at the last moment before the note is replaced."""
    swap, note = files.swap, world.vault.root / "environment.md"

    def swapped(path: Path, data: bytes, kept: Path) -> None:
        places = [note, *(world.vault.own / "kept").glob("*")]
        if path == note and not any(b"by hand" in place.read_bytes() for place in places):
            beside = world.folder / "editor.tmp"
            beside.write_bytes(note.read_bytes() + b"- by hand\n")
            os.replace(beside, note)
        swap(path, data, kept)

    files.swap = swapped
    world.apply()


def apply_without_exchange(world: World) -> None:
    files.exchange = lambda *_: False
    world.apply()


def adjudicate(world: World) -> None:
    with world.ledger() as ledger:
        for item in world.review().at("conflict"):
            decide(world.desk(ledger), item.id, "use-new")
    world.apply()


def undo_last(world: World) -> None:
    with world.ledger() as ledger:
        rows = ledger.rows("SELECT plan FROM changes WHERE kind = 'add' ORDER BY seq DESC LIMIT 1")
        try:
            undo(world.desk(ledger), rows[0]["plan"])
        except ShiluError as error:  # the recovery of this very run finished it
            assert "is undone already" in str(error)


def finish(world: World) -> None:
    world.review()
    world.apply()


def state(world: World) -> object:
    """Notes, inbox, processed files, and whether the ledger's replay is the notes."""
    with world.ledger() as ledger:
        differences = verify(world.vault, ledger)
        unfinished = ledger.rows("SELECT id FROM plans WHERE state != 'done'")
    return (
        {name: world.note(name) for name in ("environment.md", "rules.md")},
        sorted(path.name for path in world.vault.inbox.glob("*-*.md")),
        sorted(path.name for path in world.vault.processed.iterdir()),
        sorted(path.name for path in world.vault.root.rglob("*") if path.name.startswith(".shilu-tmp")),
        (world.vault.folder / ".lock").exists(),
        differences,
        len(unfinished),
    )


def texts(world: World) -> object:
    return sorted(world.facts()), (world.vault.folder / ".lock").exists()


RULES = "# Rules\n\n> Engineering rules, workflow, red lines; one fact a line.\n\n"
BEFORE = "- The staging gateway listens on port 8080 (written 2026-11-30 | source: inbox/codex-20261130-092825-01.md"
CODEX, CLAUDE = "codex-20261130-092825-01.md", "claude-20261130-092825-01.md"
HERMES, QWEN = "hermes-20261130-092825-01.md", "qwen-20261130-092825-01.md"
AFTER_APPLY = {
    "environment.md": (
        f"{HEAD}- The staging gateway now listens on port 9090 (written 2026-11-30 | source: inbox/{CLAUDE})\n"
        f"\n## Superseded\n\n{BEFORE} | ended 2026-11-30)\n"
    ),
    "rules.md": (
        f"{RULES}- lunch starts at noon (written 2026-11-30 | source: inbox/{HERMES})\n"
        f"- 部署脚本放在 /srv/deploy (written 2026-11-30 | source: inbox/{HERMES})\n"
    ),
}
AFTER_ADJUDICATION = {
    "environment.md": (
        f"{HEAD}- The staging gateway listens on port 9090 (written 2026-11-30 | source: inbox/{CLAUDE})\n"
        f"\n## Superseded\n\n{BEFORE} | ended 2026-11-30)\n"
    ),
    "rules.md": RULES,
}
AFTER_UNDO = {"environment.md": f"{HEAD}{BEFORE})\n", "rules.md": RULES}
AFTER_CREATION = {
    "environment.md": HEAD,
    "rules.md": f"- lunch starts at noon (written 2026-11-30 | source: inbox/{HERMES})\n",
}
BIRCH = f"- birch builds everything (written 2026-11-30 | source: inbox/{CLAUDE})\n"
ENDED = "\n## Superseded\n\n- The staging gateway listens on port 8080 (ended 2026-11-30)\n"
AFTER_TWO = {"environment.md": f"{HEAD}{BIRCH}{ENDED}", "rules.md": f"{RULES}{ENDED}"}
AFTER_EDITOR = {"environment.md": f"{HEAD}- by hand\n{BIRCH}", "rules.md": RULES}
ALL = [CLAUDE, CODEX, HERMES, QWEN]

OPERATIONS = (
    Operation(
        "submit",
        make_world,
        lambda world: world.submit("lunch starts at noon", target="rules"),
        lambda world: (world.submit("lunch starts at noon", target="rules"), world.accept_all()),
        texts,
        (["lunch starts at noon"], False),
    ),
    Operation("apply", submitted, World.apply, World.apply, state, (AFTER_APPLY, [], ALL, [], False, (), 0)),
    Operation(
        "adjudicate",
        conflicting,
        adjudicate,
        adjudicate,
        state,
        (AFTER_ADJUDICATION, [], [CLAUDE, CODEX], [], False, (), 0),
    ),
    Operation("undo", applied, undo_last, undo_last, state, (AFTER_UNDO, [], ALL, [], False, (), 0)),
)
MORE_OPERATIONS = (
    Operation("creation", creating, World.apply, World.apply, state, (AFTER_CREATION, [], [HERMES], [], False, (), 0)),
    Operation(
        "two notes", standing_in_two_notes, World.apply, World.apply, state, (AFTER_TWO, [], [CLAUDE], [], False, (), 0)
    ),
    Operation(
        "editor",
        edited_meanwhile,
        apply_beside_an_editor,
        apply_beside_an_editor,
        state,
        (AFTER_EDITOR, [], [CLAUDE], [], False, (), 0),
    ),
    Operation(
        "no exchange",
        submitted,
        apply_without_exchange,
        apply_without_exchange,
        state,
        (AFTER_APPLY, [], ALL, [], False, (), 0),
    ),
)


@pytest.fixture(params=OPERATIONS, ids=lambda operation: operation.name)
def operation(request: pytest.FixtureRequest) -> Operation:
    chosen: Operation = request.param
    return chosen


class Bench:
    """Copies of one prepared world, so that each death starts from the same files."""

    def __init__(self, operation: Operation, folder: Path) -> None:
        self.operation, self.folder, self.number = operation, folder, 0
        (folder / "first").mkdir()
        self.world = operation.prepare(folder / "first")
        _, self.steps = self.trial(last=0)

    def copy(self) -> World:
        self.number += 1
        target = self.folder / f"copy {self.number}"
        shutil.copytree(self.world.folder, target)
        for remembered in target.glob("state/*/folder"):  # as if moved: a copy would get a ledger of its own
            remembered.unlink()
        return World(target)

    def trial(self, *, last: int, torn: bool = False, world: World | None = None) -> tuple[int, int]:
        world = world or self.copy()
        return killing.run(lambda: self.operation.act(world), last=last, torn=torn)

    def outcome(self, deaths: tuple[int, ...], *, torn: bool = False) -> object:
        """The end state after dying at each of `deaths` in turn and then running to the end."""
        world = self.copy()
        for last in deaths:
            code, _ = killing.run(lambda: self.operation.act(world), last=last, torn=torn)
            assert code in (0, killing.KILLED)
        code, _ = killing.run(lambda: self.operation.again(world))
        found = self.operation.end(world) if code == 0 else f"the next run failed with {code}"
        shutil.rmtree(world.folder)
        return found


@pytest.fixture
def bench(operation: Operation, tmp_path: Path) -> Iterator[Bench]:
    yield Bench(operation, tmp_path)


def test_dying_once_at_any_step_leads_to_the_same_end(bench: Bench) -> None:
    wrong = {
        last: found
        for last in range(1, bench.steps + 1)
        if (found := bench.outcome((last,))) != bench.operation.expected
    }
    assert wrong == {}
    assert bench.steps >= 8


@pytest.mark.timeout(900)  # a bound for a loaded machine, never a claim about speed
@pytest.mark.parametrize("more", MORE_OPERATIONS, ids=lambda more: more.name)
def test_dying_once_or_twice_in_rarer_operations_leads_to_the_same_end(more: Operation, tmp_path: Path) -> None:
    bench = Bench(more, tmp_path)
    stride = 1 if more.name == "editor" else 2
    deaths = [(last,) for last in range(1, bench.steps + 1, stride)]
    deaths += [(last, (last * 5) % bench.steps + 1) for last in range(3, bench.steps + 1, 4 * stride)]
    wrong = {died: found for died in deaths if (found := bench.outcome(died)) != more.expected}
    assert wrong == {}


def test_torn_writes_lead_to_the_same_end(bench: Bench) -> None:
    points = range(1, bench.steps + 1, 2)
    wrong = {last: found for last in points if (found := bench.outcome((last,), torn=True)) != bench.operation.expected}
    assert wrong == {}


def test_dying_again_during_the_recovery_leads_to_the_same_end(bench: Bench) -> None:
    pairs = [(last, (last * 7) % bench.steps + 1) for last in range(1, bench.steps + 1, 2)]
    wrong = {pair: found for pair in pairs if (found := bench.outcome(pair)) != bench.operation.expected}
    assert wrong == {}


def test_all_operations_together_have_enough_points(tmp_path: Path) -> None:
    steps = {}
    for operation in OPERATIONS:
        (tmp_path / operation.name).mkdir()
        steps[operation.name] = Bench(operation, tmp_path / operation.name).steps
    assert sum(steps.values()) >= NEAREST_LEAST, steps


def test_without_the_recovery_pass_the_test_bites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(OPERATIONS[1], tmp_path)
    monkeypatch.setattr(shilu_inbox.desk, "recover", lambda *_: [])
    assert any(bench.outcome((last,)) != bench.operation.expected for last in range(1, bench.steps + 1, 3))


def test_without_the_receipt_check_the_test_bites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the ledger's receipts nor the stamps are asked: a fact whose file was not moved yet is written again."""
    bench = Bench(OPERATIONS[1], tmp_path)
    monkeypatch.setattr(shilu_inbox.review, "_applied", lambda _: {})
    monkeypatch.setattr(shilu_inbox.plans, "_stands", lambda *_: False)
    monkeypatch.setattr(shilu_inbox.desk, "recover", _forgetful)
    assert any(bench.outcome((last,)) != bench.operation.expected for last in range(1, bench.steps + 1, 3))


def _forgetful(_: object, ledger: object) -> list[str]:
    ledger.execute("UPDATE plans SET state = 'done'")  # type: ignore[attr-defined]
    ledger.execute("DELETE FROM receipts")  # type: ignore[attr-defined]
    return []
