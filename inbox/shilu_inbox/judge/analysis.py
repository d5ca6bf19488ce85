"""What a fact is made of, as the judge compares it: tokens, values, signs, subject and statement."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from opencc import OpenCC
from shilu_core.folding import fold, simplify
from shilu_core.words import stem

from shilu_inbox.judge.cues import ENVIRONMENTS, FORMER, LONGEST_SAYING, SAYS_HOW, Signs, environments, signs
from shilu_inbox.judge.lexicon import FUNCTION_WORDS, HAN_FUNCTION, concepts
from shilu_inbox.judge.values import Value, values

_LATIN = re.compile(r"[a-z0-9][a-z0-9_]*(?:[-./+#&'][a-z0-9_]+)*[+#]{0,2}|[぀-ヿー]+|[가-힣]+|[一-鿿]+")
_LIMITS = re.compile(
    r"(?P<most>不得超过|不能超过|不要超过|不许超过|不可超过|不超过|不大于|不多于|不得高于|不高于|不得晚于|不晚于|"
    r"(?:must|may|can|should) ?not exceed|(?:do|does) not exceed|not exceed(?:ing)?|no more than|not more than|"
    r"no longer than|no later than|no larger than|nothing (?:over|above|longer than))|"
    r"(?P<least>不得低于|不能低于|不低于|不少于|不得少于|不能少于|不小于|no (?:fewer|less) than|not below|not less than|"
    r"not fall below)|"
    r"(?P<only>(?:nobody|no one|none|nothing|no \w+)(?: else)? (?:but|except|other than)|never (?:\w+ ){1,3}for anything (?:except|but)|"
    r"(?:除了?)(?=.{1,10}(?:外|以外)[^，。]{0,6}(?:不|禁|没|无)))|"
    r"(?P<must>never (?:\w+ ){1,4}without|(?:not|cannot|can't|may not|must not) (?:\w+ ){1,4}without|"
    r"(?<![a-z])no (?=(?:\S+ ){1,3}without)|未经.{1,6}(?:不得|不准|不许|不能|禁止)|(?:不|没有?).{1,8}(?:不得|不准|不许|不能|禁止|不许动))"
)
_IDIOMS = {"most": ("limit", "上限"), "least": ("minimum", "下限"), "only": ("only", "只"), "must": ("", "")}
_SAYS_NOT = r"(?<![a-z])(?:never|not|no|cannot|can't|may|must|without)(?![a-z])|未经|不得|不准|不许|不能|禁止|不|没"
_PREDICATE = re.compile(
    r"(?<![a-z-])(?:is|are|was|were|has|have|had|be|runs?|ran|uses?|must|may|can|cannot|should|shall|will|needs?|requires?|"
    r"listens?|lives?|goes|go|gets?|keeps?|kept|stores?|stored|sits?|stands?|takes?|took|lasts?|ends?|starts?|"
    r"begins?|opens?|closes?|sends?|sent|writes?|written|reads?|covers?|supports?|accepts?|serves?|returns?|works?|"
    r"moved|moves?|switched|switch|went|changed|replaces?|replaced|owns?|edits?|handles?|maintains?|leads?|reviews?|"
    r"approves?|publishes?|expires?|costs?|counts?|contains?|holds?|allows?|wants?|likes?|prefers?|does|do|did|"
    r"never|always|now|drops?|dropped|comes?|came|caps?|limits?|logs?|deploys?|deployed|at|on|via|through)(?![a-z-])|"
    r"[:：=]|是|为|在|用|走|由|要|须|不|禁|可以|允许|放|存|改|换|从|已|现在|每|支持|需|监听|有|叫|最|上限|统一|一律|都|"
    r"归|保留|限|必|只|仅|に|は|が|を|는|은|이|가"
)
_CAPITAL = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Za-z0-9]*|`[^`]+`")

LONGEST_COMPARED = 1_000  # characters; a longer text is no fact, its start is compared, and the whole for equality


@dataclass(frozen=True)
class Token:
    """A unit that is compared: a concept, a Latin word, or one character of a Han, Kana or Hangul run."""

    kind: str  # concept | word | name | cjk
    key: str
    start: int
    head: bool  # stands before the predicate
    text: str
    around: tuple[str, ...] = ()  # of a character: the pairs it is part of
    parts: tuple[str, ...] = ()  # of a name with marks inside: the keys of its parts


@dataclass(frozen=True)
class Analysed:
    """One fact taken apart; `folded` is its text in the one form of `shilu_core.folding.fold`."""

    text: str
    folded: str
    bare: str  # letters and digits only
    tokens: tuple[Token, ...]
    values: tuple[Value, ...]
    signs: Signs
    keys: frozenset[str]
    grams: frozenset[str]  # pairs of neighbouring characters, blanks left out
    han: float  # share of Han, Kana and Hangul among the letters
    predicate: int  # place where the statement begins


@lru_cache(maxsize=50_000)
def analyse(text: str) -> Analysed:
    """`text` taken apart; equal texts are analysed once."""
    whole = fold(_mainland(text))
    folded = whole[:LONGEST_COMPARED]
    found = values(folded)
    spelled = _LIMITS.sub(_limit, folded)
    masked = _masked(spelled, found)
    predicate = _predicate(folded)
    tokens = tuple(_tokens(masked, predicate, _names(text)))
    letters = [character for character in folded if character.isalpha()]
    cjk = sum(ord(character) > 0x2E7F for character in letters)
    return Analysed(
        text=text,
        folded=folded,
        bare="".join(character for character in whole if character.isalnum()),
        tokens=tokens,
        values=found,
        signs=signs(spelled),
        keys=frozenset(key for token in tokens for key in (token.key, *token.parts)),
        grams=_grams(folded),
        han=cjk / max(1, len(letters)),
        predicate=predicate,
    )


def below(analysed: Analysed, heading: str) -> Analysed:
    """`analysed` as it reads below a heading: `## 生产环境` names the environment of facts that name none."""
    if not heading or analysed.signs.environments:
        return analysed
    named = environments(fold(heading).replace("testing", ""))  # a section on testing is no environment
    return replace(analysed, signs=replace(analysed.signs, environments=named)) if named else analysed


def settled(text: str) -> str:
    """`text` without the state that it says is over: `moved from 9100 to 9200` leaves `moved to 9200`."""
    return FORMER.sub(" ", text)


@lru_cache(maxsize=1)
def _regional() -> OpenCC:
    return OpenCC("tw2sp")


def _mainland(text: str) -> str:
    """Traditional Chinese with the words of the mainland, too: `軟體` is `软件`, `訊息` is `信息`."""
    plain = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode("utf-8"))
    return str(_regional().convert(plain)) if simplify(plain) != plain else plain


def _limit(matched: re.Match[str]) -> str:
    """A limit as one word of its concept, padded to the same length, so that its `not` is no negation."""
    meaning = matched.lastgroup or "most"
    word = _IDIOMS[meaning][0 if matched[0].isascii() else 1]
    kept = re.sub(_SAYS_NOT, " ", matched[0]) if meaning == "must" else ""
    return (word + kept).ljust(len(matched[0]))[: len(matched[0])]


def _masked(folded: str, found: tuple[Value, ...]) -> str:
    characters = list(folded)
    for value in found:
        characters[value.start : value.end] = " " * (value.end - value.start)
    text = "".join(characters)
    for pattern in (*SAYS_HOW, *(pattern for _, pattern in ENVIRONMENTS)):
        text = pattern.sub(_blank, text)
    return text


def _blank(matched: re.Match[str]) -> str:
    return " " * len(matched[0]) if len(matched[0]) <= LONGEST_SAYING else matched[0]


def _predicate(folded: str) -> int:
    """Where the statement begins: the first predicate word behind at least one word of subject."""
    for matched in _PREDICATE.finditer(folded):
        if matched.start() >= 2:
            return matched.start()
    return len(folded) // 2


def _names(text: str) -> frozenset[str]:
    """Latin words written as names: a capital inside the sentence, or code marks; folded."""
    plain = unicodedata.normalize("NFKC", text)
    found = (matched[0].strip("`").casefold() for matched in _CAPITAL.finditer(plain) if matched.start() > 0)
    return frozenset(found)


def _grams(folded: str) -> frozenset[str]:
    letters = "".join(character for character in folded if character.isalnum())
    return frozenset(letters[at : at + 2] for at in range(len(letters) - 1))


def _tokens(masked: str, predicate: int, names: frozenset[str]) -> Iterator[Token]:
    words: list[tuple[str, int]] = []
    for matched in _LATIN.finditer(masked):
        if matched[0][0].isascii():
            words.append((matched[0], matched.start()))
            continue
        yield from _latin(words, predicate, names)
        words = []
        yield from _cjk(matched[0], matched.start(), predicate)
    yield from _latin(words, predicate, names)


def _latin(words: list[tuple[str, int]], predicate: int, names: frozenset[str]) -> Iterator[Token]:
    known = concepts()
    stems = [stem(word.removesuffix("'s")) for word, _ in words]
    at = 0
    while at < len(words):
        word, start = words[at]
        for length in range(min(known.longest_phrase, len(words) - at), 0, -1):
            concept = known.stems.get(" ".join(stems[at : at + length]))
            if concept:
                yield Token("concept", concept, start, start < predicate, word)
                at += length
                break
        else:
            at += 1
            lettered = len(word) == 1 and word in names and word != "i"  # shelf A, plan B
            if lettered or not {word, word.removesuffix("'s")} & FUNCTION_WORDS:
                kind = "name" if _looks_named(word, names) else "word"
                yield Token(kind, stems[at - 1], start, start < predicate, word, parts=_parts(word))


def _parts(word: str) -> tuple[str, ...]:
    """The keys of the words in `backward-compatible`; names with a digit stay whole."""
    if not re.fullmatch(r"[a-z]+(?:[-_/][a-z]+)+", word):
        return ()
    stems = (stem(part) for part in re.split(r"[-_/]", word))
    return tuple(concepts().stems.get(part, part) for part in stems)


def _looks_named(word: str, names: frozenset[str]) -> bool:
    return word in names or bool(re.search(r"[0-9_./-]", word))


def _cjk(run: str, start: int, predicate: int) -> Iterator[Token]:
    known = concepts()
    at = 0
    while at < len(run):
        for length in range(min(known.longest_han, len(run) - at), 0, -1):
            concept = known.han.get(run[at : at + length])
            if concept:
                yield Token("concept", concept, start + at, start + at < predicate, run[at : at + length])
                at += length
                break
        else:
            if run[at] not in HAN_FUNCTION:
                around = tuple(run[max(0, at + step - 1) : at + step + 1] for step in (0, 1))
                pairs = tuple(pair for pair in around if len(pair) == 2)
                yield Token("cjk", run[at], start + at, start + at < predicate, run[at], pairs)
            at += 1
