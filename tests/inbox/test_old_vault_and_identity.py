"""A vault that the old tool made works as it is; one vault has one ledger, a copy has its own."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from shilu_core.errors import ShiluError
from shilu_core.ledger import ledger_path, part_from_original, vault_identity
from shilu_core.recall import Engine
from shilu_core.vault import recognise
from shilu_inbox.apply import entries
from shilu_inbox.decide import decide
from shilu_inbox.verify import verify

from tests.fixtures import old_vault
from tests.worlds import NOW, World, make_world

DAY = NOW.date().isoformat()


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "a b" / "用户"
    old_vault.write(folder / "vault")
    then = time.time() - 60
    for path in (folder / "vault").rglob("*.md"):
        os.utime(path, (then, then))
    return World(folder)


def files(world: World) -> dict[str, bytes]:
    root = world.vault.root
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.md"))}


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def test_a_review_changes_the_two_lists_and_nothing_else(world: World) -> None:
    before = files(world)
    world.review()
    assert set(changed(before, files(world))) <= {"情境信息/待晋升.md", "情境信息/事实冲突待裁决.md"}


def test_apply_of_an_old_list_writes_its_facts_once_and_only_where_they_belong(world: World) -> None:
    before = files(world)
    done = world.apply()
    after = files(world)
    assert done.held == ()
    expected = [
        "Prefer tabs over spaces in Go files", "午休从 12:30 到 13:30", "日志目录为 /var/log/qinghe，保留 14 天",
        "晨会提交前先跑一遍 make lint", "测试数据库端口已改为 5440", "界面主色用青绿 #2A9D8F",
    ]  # fmt: skip
    assert sorted(one.text for one in done.written) == sorted(expected)
    environment = after["常用路径与环境.md"].decode()
    for line in old_vault.ENVIRONMENT.splitlines():  # stamps and usage tags included
        ended = line.startswith("- 测试数据库端口为 5433")
        assert (line in environment.splitlines()) is not ended
    assert "｜有效至 2026-11-30）｜使用 4 次·最近 2026-08-20" in environment
    assert after["我的偏好摘要.md"] == (
        old_vault.PREFERENCES + f"\r\n- Prefer tabs over spaces in Go files{old_vault.stamp(DAY, old_vault.HERMES_NAME)}"
    ).encode()
    apart = {name for name in changed(before, after) if not name.startswith(("Agent提交区/", "情境信息/"))}
    assert apart == {"常用路径与环境.md", "我的偏好摘要.md", "UI审美准则.md", "Codex-Claude-Hermes协作规则.md"}
    assert world.apply().written == ()
    assert {name: data for name, data in files(world).items() if name in apart} == {name: after[name] for name in apart}
    with world.ledger() as ledger:
        assert verify(world.vault, ledger) == ()


def test_the_old_tools_own_apply_is_not_repeated(world: World) -> None:
    for name, text in old_vault.after_apply("2026-11-28").items():
        (world.vault.root / name).parent.mkdir(parents=True, exist_ok=True)
        (world.vault.root / name).write_bytes(text.encode())
    before = {name: data for name, data in files(world).items() if "/" not in name}
    done = world.apply()
    assert done.written == ()
    assert {name: data for name, data in files(world).items() if "/" not in name} == before


def old_list(world: World, *texts: str) -> None:
    lines = "".join(
        f"- [ ] {number}. 分类:env｜目标:50-Agent-Context/常用路径与环境.md｜来源:notes.md｜内容:{text}\n"
        for number, text in enumerate(texts, 1)
    )
    world.vault.pending.write_text("# 待晋升清单\n\n" + lines, encoding="utf-8")


def test_an_edited_line_of_an_old_list_settles_the_line_it_stands_for(tmp_path: Path) -> None:
    world = make_world(tmp_path, "zh")
    world.drop_file("notes.md", "- 打印机在三楼\n- 午休从 12:30 开始\n".encode())
    old_list(world, "打印机在四楼", "午休从 12:30 开始")
    assert world.apply().held == ()
    assert sorted(world.facts()) == ["午休从 12:30 开始", "打印机在四楼"]
    world.accept_all()
    assert sorted(world.facts()) == ["午休从 12:30 开始", "打印机在四楼"]
    assert [path.name for path in world.vault.processed.iterdir()] == ["notes.md"]


def test_the_consent_of_an_old_list_rules_on_no_conflict_that_it_did_not_show(tmp_path: Path) -> None:
    world = make_world(tmp_path, "zh")
    world.write_note("常用路径与环境.md", "# 常用路径与环境\n\n- 测试数据库端口为 5433\n")
    world.drop_file("notes.md", "- 测试数据库端口为 5440\n- 午休从 12:30 开始\n".encode())
    old_list(world, "测试数据库端口为 5440", "午休从 12:30 开始")
    (held,) = world.apply().held
    assert "rule on it: promoter --review" in held
    assert sorted(world.facts()) == ["午休从 12:30 开始", "测试数据库端口为 5433"]
    assert len(world.review().at("conflict")) == 1


def test_both_forms_of_old_conflict_are_ruled_on(world: World) -> None:
    with world.ledger() as ledger:
        conflicts = [entry for entry in entries(world.desk(ledger)) if entry.kind == "conflict"]
        assert [entry.text for entry in conflicts] == ["Go 工具链版本为 1.25.0", "构建机地址为 10.20.0.16，登录用户 builder"]
        decide(world.desk(ledger), conflicts[0].identity, "use-new")
        decide(world.desk(ledger), conflicts[1].identity, "keep-old")
    world.apply()
    facts = world.facts()
    assert "Go 工具链版本为 1.25.0" in facts and "Go 工具链版本为 1.24.2" not in facts
    assert "构建机地址为 10.20.0.15，登录用户 builder" in facts and "构建机地址为 10.20.0.16，登录用户 builder" not in facts
    rulings = world.vault.rulings.read_text(encoding="utf-8")
    assert rulings.startswith(old_vault.RULINGS)
    assert "用新" in rulings.removeprefix(old_vault.RULINGS) and "保留旧" in rulings.removeprefix(old_vault.RULINGS)


def test_search_finds_the_facts_of_the_old_vault(world: World, tmp_path: Path) -> None:
    engine = Engine.open(world.vault, tmp_path / "cache")
    try:
        engine.refresh()
        assert "测试数据库端口为 5433" in [hit.fact.text for hit in engine.search("测试数据库端口").hits]
    finally:
        engine.close()


def test_a_vault_reached_by_a_link_or_moved_has_one_ledger(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    state = world.folder / "state"
    first = ledger_path(world.vault, state)
    link = tmp_path / "link"
    link.symlink_to(world.vault.folder)
    assert ledger_path(recognise(link), state) == first
    moved = tmp_path / "moved"
    os.rename(world.vault.folder, moved)
    assert ledger_path(recognise(moved), state) == first
    assert part_from_original(recognise(moved), state) == ""
    link.unlink()
    link.symlink_to(moved)
    assert ledger_path(recognise(link), state) == first


def test_a_copied_vault_gets_a_ledger_of_its_own_and_says_so_once(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    world.submit("the build host is cedar", target="env")
    world.accept_all()
    state = world.folder / "state"
    original = vault_identity(world.vault)
    shutil.copytree(world.vault.folder, tmp_path / "copy")
    copy = recognise(tmp_path / "copy")
    told = part_from_original(copy, state)
    assert f"{copy.folder} is a copy of the vault {world.vault.folder}" in told
    assert part_from_original(copy, state) == ""
    assert vault_identity(copy) != original == vault_identity(world.vault)
    assert ledger_path(copy, state) != ledger_path(world.vault, state)


def test_a_copy_whose_original_is_gone_is_that_vault(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    state = world.folder / "state"
    first = ledger_path(world.vault, state)
    shutil.copytree(world.vault.folder, tmp_path / "copy")
    shutil.rmtree(world.vault.folder)
    assert ledger_path(recognise(tmp_path / "copy"), state) == first


@pytest.mark.parametrize("content", [b"", b"../../elsewhere\n", b"\xff\xfe", b"ABCDEF" * 6])
def test_a_damaged_vault_id_is_told_and_used_for_no_path(tmp_path: Path, content: bytes) -> None:
    world = make_world(tmp_path)
    vault_identity(world.vault)
    (world.vault.own / "id").write_bytes(content)
    with pytest.raises(ShiluError, match="holds no vault id; put 32 hexadecimal digits back, or remove it"):
        ledger_path(world.vault, world.folder / "state")
