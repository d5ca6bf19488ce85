"""A vault on disk from a set of cases (`facts.jsonl` with id, category, date, agent, text, supersedes)."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

_NOTES = {"prefs": "preferences.md", "env": "environment.md", "rules": "rules.md", "tools": "tools.md"}
_NOTES |= {"ui": "ui.md", "coord": "coordination.md"}


def make_vault(facts: Path, folder: Path) -> dict[str, str]:
    """Writes an `en` vault below `folder`, superseded facts under their heading; returns text -> case id."""
    rows = [json.loads(line) for line in facts.read_text("utf-8").splitlines()]
    gone = {row["supersedes"] for row in rows if row.get("supersedes")}
    root = folder / "memory"
    (root / "inbox").mkdir(parents=True)
    (root / "projects").mkdir()
    notes = defaultdict(list)
    for row in rows:
        notes[_NOTES.get(row["category"], f"projects/{row['category']}.md")].append(row)
    for note, facts_of in notes.items():
        current = "".join(_line(row) for row in facts_of if row["id"] not in gone)
        former = "".join(_line(row) for row in facts_of if row["id"] in gone)
        (root / note).write_text(f"# {Path(note).stem}\n\n{current}\n## Superseded\n\n{former}", "utf-8")
    return {row["text"]: row["id"] for row in rows}


def _line(row: dict[str, str]) -> str:
    source = f"inbox/{row['agent']}-{row['date'].replace('-', '')}-090000-01.md"
    return f"- {row['text']} (written {row['date']} | source: {source})\n"
