"""Facts are sorted by what they are about, and sent to the note they belong in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shilu_core.vault import Vault, recognise
from shilu_inbox import category
from shilu_inbox.category import CATEGORIES, classify, note_for

CASES = Path(__file__).parents[2] / "bench/data/guards/category.jsonl"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    root = tmp_path / "memory"
    (root / "inbox").mkdir(parents=True)
    (root / "projects").mkdir()
    (root / "environment.md").write_text("# Environment\n", "utf-8")
    for name in ("atlas", "极光"):
        (root / "projects" / f"{name}.md").write_text("# P\n", "utf-8")
    return recognise(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I prefer short answers without emojis", "prefs"),
        ("回答請用繁體中文，先講結論", "prefs"),
        ("The backup host is nas-3.lan and listens on port 8022", "env"),
        ("构建机的缓存目录是 /srv/cache", "env"),
        ("Never merge without a green pipeline", "rules"),
        ("禁止直接推送主分支", "rules"),
        ("The browser tool cannot download files here, use curl instead", "tools"),
        ("截图工具不可用，改用命令行", "tools"),
        ("Buttons have rounded corners of 6 px and a blue hover colour", "ui"),
        ("弹窗的按钮靠右对齐，主色为蓝色", "ui"),
        ("Codex writes the tests and Claude reviews them", "coord"),
        ("前端由 Claude 负责，后端交给 Codex", "coord"),
        ("The launch of the billing project was postponed to March", "project"),
        ("团队决定项目二期先不做移动端", "project"),
        ("The bakery around the corner has good rye bread", "other"),
    ],
)
def test_plain_facts_are_sorted(text: str, expected: str) -> None:
    assert classify(text).category == expected


def test_a_keyword_alone_does_not_decide() -> None:
    assert classify("The port wine at the party was excellent").category == "other"
    assert classify("I like it when Claude explains the error first").category == "prefs"


def test_confidence_is_a_probability_and_the_empty_text_has_little() -> None:
    assert 1 / len(CATEGORIES) <= classify("").confidence < 0.9
    assert 0.9 < classify("Codex 负责实现，Claude 负责评审").confidence <= 1


def test_the_shipped_weights_know_the_shipped_cases() -> None:
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    right = sum(classify(case["fact"]).category in (case["category"], *case["accept"]) for case in cases)
    assert right >= 0.97 * len(cases)


def test_a_category_goes_to_its_document(vault: Vault) -> None:
    assert note_for("env", vault) == ("environment.md", None)
    assert note_for("project", vault) == ("review/unclassified.md", None)


def test_a_named_note_and_a_named_project_win(vault: Vault) -> None:
    assert note_for("rules", vault, "env") == ("environment.md", None)
    assert note_for("project", vault, "atlas") == ("projects/atlas.md", None)
    assert note_for("project", vault, "projects/极光.md") == ("projects/极光.md", None)


def test_a_project_named_in_the_text_is_found_if_it_is_one(vault: Vault) -> None:
    assert note_for("project", vault, text="Atlas ships in May") == ("projects/atlas.md", None)
    assert note_for("project", vault, text="极光项目的预算已定") == ("projects/极光.md", None)
    assert note_for("project", vault, text="Atlas 与极光合并") == ("review/unclassified.md", None)
    assert note_for("project", vault, text="Atlases are sold out") == ("review/unclassified.md", None)


def test_an_unknown_target_is_flagged_and_says_what_to_do(vault: Vault) -> None:
    note, flag = note_for("project", vault, "nowhere")
    assert note == "review/unclassified.md"
    assert flag is not None
    assert flag.kind == "unknown-target"
    assert flag.detail == "no note 'nowhere'; make it first, or choose another note when you decide"


def test_a_target_that_leads_out_of_the_vault_is_unknown(vault: Vault) -> None:
    assert note_for("env", vault, "../../etc/passwd")[1] is not None


def test_a_remembered_correction_is_used(vault: Vault) -> None:
    assert note_for("project", vault, corrections={"project": "projects/atlas.md"}) == ("projects/atlas.md", None)
    assert note_for("env", vault, "old", corrections={"old": "projects/atlas.md"}) == ("projects/atlas.md", None)


def test_weights_are_read_only_when_a_fact_is_sorted(vault: Vault) -> None:
    category._weights.cache_clear()
    note_for("other", vault)
    assert category._weights.cache_info().currsize == 0
