"""The category of a fact and the note that it belongs in (first form: by target and document names only)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shilu_core.vault import Vault

from shilu_inbox.verdicts import Category, Flag


@dataclass(frozen=True)
class Classified:
    category: Category
    confidence: float


def classify(text: str, *, embedder: object | None = None) -> Classified:
    return Classified("env" if any(character.isdigit() for character in text) else "other", 0.5)


def note_for(
    category: Category, vault: Vault, target: str = "", *, corrections: Mapping[str, str] | None = None
) -> tuple[str, Flag | None]:
    """Note id for a category, and a flag where the target that was asked for does not exist."""
    if target:
        named = vault.document(target)
        if named is not None:
            return named, None
        return vault.layout.unclassified, Flag("unknown-target", f"no note {target!r}")
    if corrections and category in corrections:
        return corrections[category], None
    return vault.layout.documents.get(category, vault.layout.unclassified), None
