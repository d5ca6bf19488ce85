"""What a fact is about, and the note it belongs in.

A small linear model over words, runs of Han and the cue table; its weights are fitted by `bench/fit_category.py` on
`bench/data/guards/category.jsonl` and stand in one data file. No embedder is needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shilu_core.folding import fold

from shilu_inbox.category_features import features
from shilu_inbox.verdicts import Category, Flag

if TYPE_CHECKING:
    import numpy as np
    from shilu_core.vault import Vault

CATEGORIES: tuple[Category, ...] = ("prefs", "env", "rules", "tools", "ui", "coord", "project", "other")
WEIGHTS = Path(__file__).parent / "data" / "category-weights.npz"


@dataclass(frozen=True)
class Classified:
    """A category and how sure the model is of it (0 to 1)."""

    category: Category
    confidence: float


def scaled(row: Mapping[str, float]) -> dict[str, float]:
    """The features with word pieces brought to one length, so that a long fact counts as much as a short one."""
    words = sum(1 for name in row if name[0] in "wh")
    share = 1.6 / math.sqrt(words) if words else 0.0
    return {name: value * share if name[0] in "wh" else value for name, value in row.items()}


@lru_cache(maxsize=1)
def _weights() -> tuple[dict[str, int], np.ndarray[Any, Any]]:
    import numpy as np

    with np.load(WEIGHTS) as stored:
        names = bytes(stored["names"]).decode("utf-8").split("\n")
        return {name: i for i, name in enumerate(names)}, stored["weights"].astype(np.float32)


def classify(text: str, *, embedder: object = None) -> Classified:
    """The likeliest category of a fact; `embedder` is accepted and not needed."""
    index, weights = _weights()
    scores = weights[index["b:"]].copy()
    for name, value in scaled(features(text)).items():
        row = index.get(name)
        if row is not None:
            scores += value * weights[row]
    best = int(scores.argmax())
    chances = [math.exp(float(score - scores[best])) for score in scores]
    return Classified(CATEGORIES[best], 1.0 / sum(chances))


def note_for(
    category: Category,
    vault: Vault,
    target: str = "",
    *,
    corrections: Mapping[str, str] | None = None,
    text: str = "",
) -> tuple[str, Flag | None]:
    """Id of the note that a fact of `category` belongs in, and a flag where the `target` asked for is not there.

    In this order: what a person chose for this target before; the note that the submitter names, also as the name of
    a project; what a person chose for this category; for a project fact the note of the one project that `text`
    names; the document of the category; the unclassified note. `corrections` maps a target or category to a note.
    """
    remembered = corrections or {}
    if target and target in remembered:
        return remembered[target], None
    if target:
        named = vault.document(target) or vault.document(f"{vault.layout.projects}/{target}")
        if named is not None:
            return named, None
    flag = Flag("unknown-target", _unknown(target, vault)) if target else None
    if category in remembered:
        return remembered[category], flag
    project = _project_named(text, vault) if category == "project" and text and not target else None
    return project or vault.layout.documents.get(category, vault.layout.unclassified), flag


def _unknown(target: str, vault: Vault) -> str:
    if vault.layout.language == "zh":
        return f"没有名为 {target!r} 的笔记；先建立它，或在裁决时另选一篇"
    return f"no note {target!r}; make it first, or choose another note when you decide"


def _project_named(text: str, vault: Vault) -> str | None:
    """The note below `projects/` whose name stands in the text, if it is exactly one."""
    folder = vault.root / vault.layout.projects
    try:
        names = [path.stem for path in folder.iterdir() if path.suffix.lower() == ".md"]
    except OSError:
        return None
    folded = fold(text)
    found = [name for name in names if _stands_in(fold(name), folded)]
    return vault.document(f"{vault.layout.projects}/{found[0]}.md") if len(found) == 1 else None


def _stands_in(name: str, folded: str) -> bool:
    if not name:
        return False
    if name.isascii():
        return bool(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", folded))
    return name in folded
