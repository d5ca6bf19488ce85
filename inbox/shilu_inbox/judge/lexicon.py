"""Words that say the same thing: stems, concepts of several languages, and words that carry no content."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from shilu_core.folding import fold
from shilu_core.words import stem

FUNCTION_WORDS = frozenset(
    """
    a an the this that these those it its they them their he she his her we our us you your i my is are
    was were be been being am do does did has have had of in on at to into onto from for with by as and
    or but if then than so there here which who whom whose what when where while during about under over
    between within per via not no nor will would shall should can could may might must get gets got go
    goes went gone comes come out up down off only also too just very more most less every each any all
    some such other same one's s t re ll ve d use uses used using now longer instead never always again
    yet still already since until
    """.split()  # noqa: SIM905
)
HAN_FUNCTION = frozenset(
    "的了在是为把被由从到和与及或等就都也还很个之其以于用有这那它他她们将会要能可得着过给对让使吗呢吧则而且并但如若上里中内下候都请一不没无未再已现只仅也"
)


@dataclass(frozen=True)
class Concepts:
    """`han` maps Han, Kana and Hangul words, `stems` stemmed Latin words and phrases, to concept ids."""

    han: dict[str, str]
    stems: dict[str, str]
    classes: dict[str, str]  # concept id -> closed class
    generic: frozenset[str]  # concept ids that say little about what a fact is about
    longest_han: int
    longest_phrase: int


@lru_cache(maxsize=1)
def concepts() -> Concepts:
    """The concept table that ships beside this module."""
    han: dict[str, str] = {}
    stems: dict[str, str] = {}
    classes: dict[str, str] = {}
    generic: set[str] = set()
    for line in (resources.files(__package__) / "concepts.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, listed = line.removeprefix("~").rpartition(":")
        words = [fold(word) for word in listed.split("/")]
        concept = f"{name}:{words[0]}" if name else words[0]
        if name:
            classes[concept] = name
        if line.startswith("~"):
            generic.add(concept)
        for word in words:
            if word[0].isascii():
                stems.setdefault(" ".join(stem(part) for part in word.split(" ")), concept)
            else:
                han.setdefault(word, concept)
    longest = max(len(word) for word in han)
    return Concepts(han, stems, classes, frozenset(generic), longest, max(phrase.count(" ") + 1 for phrase in stems))
