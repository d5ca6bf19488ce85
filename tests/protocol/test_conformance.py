"""`shilu conformance`: the provider passes, and each of the broken ones is found out by the case named beside
it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from shilu_host.conformance.cases import CASES
from shilu_host.conformance.run import run

PROVIDER = [sys.executable, "-m", "shilu_host", "protocol", "serve", "--stdio"]
CONFORMANCE = [sys.executable, "-m", "shilu_host", "conformance"]
SCRIPT = Path(__file__).with_name("broken_providers.py")

FOUND_BY = {
    "counts_code_points": "entry-units",
    "counts_bytes": "entry-units",
    "trims_text": "entry-verbatim",
    "trims_tags_as_python_does": "tags-trim",
    "folds_all_letters": "match-ascii",
    "sees_everything": "visible-targets",
    "asks_nobody": "deny",
    "lets_auto_beat_never": "stance-never",
    "leaves_no_denied_row": "deny",
    "hides_the_old_text": "ask-replace",
    "takes_any_yes": "deny-unknown",
    "trusts_the_first_look": "after-approval",
    "forgets_the_second_budget_check": "after-approval-budget",
    "checks_a_seed_entry_by_entry": "seed-whole",
    "drops_tags_on_import": "export-import",
    "keeps_old_tags": "replace-tags",
    "starts_a_new_identity_on_replace": "replace",
    "counts_recalls_too_early": "query-counts",
    "renders_the_snapshot_anew": "snapshot-frozen",
    "shows_foreign_workspaces_in_snapshots": "snapshot-visible",
    "names_the_global_policy": "policy-rules",
    "adds_a_field": "entry-fields",
    "prints_to_standard_output": "process-methods",
    "ends_lines_as_windows_does": "process-methods",
    "stops_reading_while_a_write_waits": "concurrent",
    "lives_on_after_its_input_closed": "process-end",
    "ignores_cancel": "cancel",
    "tells_unknown_events": "events",
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """A broken provider that says nothing is given up on sooner than a real one."""
    monkeypatch.setattr("shilu_host.conformance.client.REPLY_SECONDS", 5.0)


def case(case_id):
    return next(case for case in CASES if case.id == case_id)


def test_the_provider_passes_every_case():
    done = subprocess.run([*CONFORMANCE, "--json", "--provider", " ".join(PROVIDER)], capture_output=True, timeout=280)
    report = json.loads(done.stdout)
    assert [row for row in report["cases"] if not row["passed"]] == []
    assert (done.returncode, report["passed"], report["failed"]) == (0, len(CASES), 0)


@pytest.mark.parametrize("name", FOUND_BY)
def test_a_broken_provider_is_found_out(name):
    (finding,) = run([sys.executable, str(SCRIPT), name], [case(FOUND_BY[name])])
    assert not finding.passed and not finding.reason.startswith("an answer of another shape")


def test_every_broken_provider_stands_in_the_table():
    names = set(re.findall(r"^def (\w+)\(\):", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE))
    assert names == set(FOUND_BY) and len(names) >= 12


def test_a_failed_case_is_told_with_its_reason_and_status_1():
    provider = f"{sys.executable} {SCRIPT} counts_bytes"
    done = subprocess.run(
        [*CONFORMANCE, "--case", "entry-units", "--case", "budgets", "--provider", provider],
        capture_output=True,
        timeout=60,
    )
    out = done.stdout.decode()
    assert done.returncode == 1 and "FAIL  entry-units" in out and "0 of 2 cases passed" in out
    assert "BUDGET_EXCEEDED" in out


def test_a_provider_that_is_none_fails_every_case():
    done = subprocess.run(
        [*CONFORMANCE, "--theme", "exchange", "--provider", f"{sys.executable} -c pass"],
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1 and b"0 of 7 cases passed" in done.stdout


@pytest.mark.parametrize(("given", "word"), [(["--case", "nope"], "nope"), ([], "--provider"), (["--theme", "x"], "x")])
def test_wrong_use_is_named(given, word):
    done = subprocess.run([*CONFORMANCE, *given], capture_output=True, timeout=60)
    assert done.returncode == 2 and word in done.stderr.decode()


def test_the_cases_have_names_of_their_own_and_leave_nothing_behind(tmp_path):
    assert len({case.id for case in CASES}) == len(CASES) >= 60
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    given = [*CONFORMANCE, "--case", "mm-empty", "--case", "budgets", "--provider", " ".join(PROVIDER)]
    assert subprocess.run(given, capture_output=True, timeout=60, env=environment).returncode == 0
    assert list(tmp_path.iterdir()) == []
