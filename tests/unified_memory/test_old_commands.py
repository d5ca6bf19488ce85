"""The old command lines over a vault of the old tool, called as the published DSH plug-in and its users call them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import unified_memory

from tests.fixtures import old_vault

CORE = Path(next(iter(unified_memory.__path__))).parent
Run = Callable[..., subprocess.CompletedProcess[str]]
STOOD_STILL = time.time() - 60  # a file that we did not write is taken once it stood still for two seconds


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = old_vault.write(tmp_path / "库")
    for path in (folder / old_vault.ROOT / "Agent提交区").glob("*.md"):
        os.utime(path, (STOOD_STILL, STOOD_STILL))
    return folder


@pytest.fixture
def run(vault: Path, tmp_path: Path) -> Run:
    """`run("memory", ...)` or `run("promoter", ...)`, with nothing but the variables that the plug-in sets."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(CORE),
        "UNIFIED_MEMORY_VAULT": str(vault),
        "SHILU_STATE_DIR": str(tmp_path / "state"),
        "SHILU_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONUTF8": "1",
    }

    def ran(module: str, *words: str, keys: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", f"unified_memory.{module}", *words]
        return subprocess.run(
            command, env=environment, input=keys, capture_output=True, encoding="utf-8", timeout=120, check=False
        )

    return ran


def files(vault: Path) -> dict[str, str]:
    root = vault / old_vault.ROOT
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in root.rglob("*.md")}


def facts(vault: Path, note: str) -> list[str]:
    return [line for line in files(vault)[note].splitlines() if line.startswith("- ")]


def test_search_finds_a_fact_and_exits_0_with_and_without_hits(run: Run) -> None:
    found = run("memory", "search", "测试数据库端口", "--limit", "8")
    assert found.returncode == 0, found.stderr
    assert "测试数据库端口为 5433" in found.stdout and "<memory-data>" in found.stdout
    nothing = run("memory", "search", "zzqqxx", "--limit", "8", "--remote")
    assert nothing.returncode == 0, nothing.stderr


@pytest.mark.parametrize("name", ["env", "常用路径与环境.md"])
def test_show_prints_a_note_by_id_and_by_file_name(run: Run, name: str) -> None:
    shown = run("memory", "show", name)
    assert shown.returncode == 0, shown.stderr
    assert "NAS 挂载在 /mnt/qinghe，手写的一行，没有来源" in shown.stdout


def test_submit_takes_all_facts_as_one_argument(run: Run, vault: Path) -> None:
    before = files(vault)
    done = run("memory", "submit", "- 周会改到周三 10:00\n打印机在 3 楼", "--agent", "dsh")
    assert done.returncode == 0, done.stderr
    (new,) = files(vault).keys() - before.keys()
    assert new.startswith("Agent提交区/dsh-") and files(vault)[new] == "- 周会改到周三 10:00\n- 打印机在 3 楼\n"


def test_an_option_of_submit_is_no_fact_and_a_fact_may_begin_with_dashes(run: Run, vault: Path) -> None:
    before = files(vault)
    done = run("memory", "submit", "--session", "s1", "--tag=ops", "--verbose is on by default", "--", "--quiet")
    assert done.returncode == 0, done.stderr
    (new,) = files(vault).keys() - before.keys()
    head, _, body = files(vault)[new].rpartition("---\n")
    assert body == "- --verbose is on by default\n- --quiet\n" and "session: s1" in head and "ops" in head
    assert run("memory", "submit", "--bogus", "a fact").returncode == 2


def test_submit_refuses_a_credential_and_writes_nothing(run: Run, vault: Path) -> None:
    before = files(vault)
    done = run("memory", "submit", "password = Tr0ub4dor&3xyz", "--agent", "dsh")
    assert done.returncode != 0 and "Tr0ub4dor" not in done.stdout + done.stderr
    assert files(vault) == before


def test_status_names_the_vault(run: Run, vault: Path) -> None:
    done = run("memory", "status")
    assert done.returncode == 0, done.stderr
    assert str(vault) in done.stdout


def test_apply_means_what_the_old_list_meant(run: Run, vault: Path) -> None:
    before = files(vault)
    done = run("promoter", "--apply")
    assert done.returncode == 0, done.stderr
    assert [line.partition("（")[0] for line in facts(vault, "常用路径与环境.md")] == [
        "- 构建机地址为 10.20.0.15，登录用户 builder",
        "- NAS 挂载在 /mnt/qinghe，手写的一行，没有来源",
        "- Go 工具链版本为 1.24.2",
        "- 日志目录为 /var/log/qinghe，保留 14 天",
        "- 测试数据库端口已改为 5440",
        "- 测试数据库端口为 5432",
        "- 测试数据库端口为 5433",
    ]
    assert files(vault)["我的偏好摘要.md"].startswith(old_vault.PREFERENCES + "\r\n- Prefer tabs")
    same = {"上下文索引.md", "README.md", "记忆遗忘区/常用路径与环境.md", "会话归档/2026-11-27.md"}
    same |= {name for name in before if "已处理" in name or name.endswith("README.md")}
    assert {name: files(vault)[name] for name in same} == {name: before[name] for name in same}


def test_a_second_apply_of_the_same_old_list_adds_nothing(run: Run, vault: Path) -> None:
    run("promoter", "--apply")
    once = {name: text for name, text in files(vault).items() if "/" not in name}
    (vault / old_vault.ROOT / "情境信息" / "待晋升.md").write_text(old_vault.PENDING, encoding="utf-8")
    run("promoter", "--apply")
    assert {name: text for name, text in files(vault).items() if "/" not in name} == once


def test_the_old_list_without_its_sources_comment_means_the_same(run: Run, vault: Path) -> None:
    pending = vault / old_vault.ROOT / "情境信息" / "待晋升.md"
    pending.write_text(old_vault.PENDING_WITHOUT_SOURCES, encoding="utf-8")
    assert run("promoter", "--apply").returncode == 0
    assert "- 界面主色用青绿 #2A9D8F" in files(vault)["UI审美准则.md"]
    assert "- 午休从 12:30 到 13:30" in files(vault)["情境信息/未归类事实.md"]


def test_every_line_of_an_old_submission_is_a_fact_of_its_own(run: Run, vault: Path) -> None:
    for name in (old_vault.CODEX_NAME, old_vault.HERMES_NAME):
        (vault / old_vault.ROOT / "Agent提交区" / name).unlink()
    for name in ("待晋升.md", "事实冲突待裁决.md"):
        (vault / old_vault.ROOT / "情境信息" / name).unlink()
    assert run("promoter", "--review").returncode == 0
    lists = files(vault)["情境信息/待晋升.md"] + files(vault)["情境信息/事实冲突待裁决.md"]
    assert lists.count("晨会提交前先跑一遍 make lint") == 1
    assert "builder 晨会" not in lists and "10.20.0.16" in lists


def test_both_forms_of_an_old_conflict_can_be_ruled_on(run: Run, vault: Path) -> None:
    for name in (old_vault.CODEX_NAME, old_vault.HERMES_NAME):
        (vault / old_vault.ROOT / "Agent提交区" / name).unlink()
    (vault / old_vault.ROOT / "情境信息" / "待晋升.md").unlink()
    run("promoter", "adjudicate", keys="n\nn\n")
    lines = facts(vault, "常用路径与环境.md")
    current = lines[: next(place for place, line in enumerate(lines) if "5432" in line)]
    assert any(line.startswith("- Go 工具链版本为 1.25.0（写入") for line in current)
    assert any(line.startswith("- 构建机地址为 10.20.0.16，登录用户 builder（写入") for line in current)
    assert not any("1.24.2" in line or "10.20.0.15" in line for line in current)
    assert "1.25.0" not in files(vault)["情境信息/事实冲突待裁决.md"]
    assert "1.25.0" in files(vault)["情境信息/事实冲突已裁决.md"]


def test_repair_existing_says_that_it_comes_later(run: Run, vault: Path) -> None:
    before = files(vault)
    done = run("promoter", "--repair-existing", "--dry-run")
    assert done.returncode == 2 and "repair-existing" in done.stderr
    assert files(vault) == before
