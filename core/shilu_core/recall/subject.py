"""The subject of a question: its content words, the names among them, and the noun that is asked about.

"Which test framework does notify-hub use?" has the head "test framework" and the name "notify-hub"; a line about the
name that knows nothing of the head does not answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shilu_core.recall.aspects import concepts
from shilu_core.words import is_cjk, normalise, tokens

_QUESTION_WORDS = frozenset(
    [
        "which",
        "what",
        "who",
        "where",
        "when",
        "how",
        "much",
        "many",
        "long",
        "often",
        "old",
        "use",
        "used",
        "run",
        "set",
        "keep",
        "number",
        "name",
        "call",
        "mean",
        "do",
        "we",
        "our",
    ]
)
_NAME = re.compile(r"[-_./\d]")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
# Function words and question words; what stands between them carries the meaning.
_EMPTY = re.compile(
    r"我们|咱们|你们|他们|的话|是不是|有没有|能不能|可不可以|要不要|什么时候|什么|多少|哪里|哪儿|哪个|哪台|哪家|哪些|哪天|怎么|为什么"
    r"|为啥|如何|谁|吗|呢|吧|啊|了|的|是|在|用|和|跟|与|到|把|被|让|给|就|都|也|还|又|再|很|最|个|几|多大|多久|请问|请|帮我|一下"
    r"|这个|那个|这|那|我|你|他|她|它|要|能|可以|会|有|没|不|上|里|中|下|从|向|往|对|去|来|做|放|叫|现在|目前|今天|明天|昨天|刚才"
    r"|大家|有人|人|说|问|该|得|着|过"
)
_HEAD_EN = re.compile(
    r"\b(?:which|what|whose|how many|how much)(?:'s| is| are| was| were)?(?: the| a| an| our)? ((?:[\w.+-]+ ){0,2}?[\w.+-]+)"
    r"(?= (?:do|does|did|is|are|was|were|can|may|should|has|have|of|for|in|on|to|from|at|with|it|we|i|will|must|the|you|use)\b"
    r"|[?,.]|$)",
    re.IGNORECASE,
)
_HEAD_BEHIND = re.compile(
    r"(?:哪个|哪家|哪种|哪款|哪些|哪一个|什么|几个|几条|多少|几台|多大的)\s?([A-Za-z][\w .-]{0,40}|[\u4e00-\u9fff]{1,5})"
)
_HEAD_BEFORE = re.compile(
    r"([A-Za-z][\w.-]{0,40}(?: [A-Za-z][\w.-]{0,40})?|[\u4e00-\u9fff]{1,8}?)\s?(?:一般|现在|目前|最后)?"
    r"(?:是|有|在|为|叫|设在|设了|设|配的?|用的?|走的?|放在?|存在?|支持|要|填|留|保留){0,3}了?(?:多少|什么|哪|几|谁|多大|多久|啥)"
)
_CLAUSE = re.compile(r"(?<=[，,。！!？?；;：\n])|(?<=\.)\s+")
_ASKS = re.compile(
    r"[？?吗呢]|什么|哪|谁|几|多少|多[大久高长深远重宽]|怎么|为[何啥]|是不是|有没有|能不能|要不要|どこ|いつ|何"
    r"|\b(?:which|what|who(?:se|m)?|where|when|why|how)\b",
    re.IGNORECASE,
)
MOST_READ = 400  # characters of a question in which heads are looked for


@dataclass(frozen=True)
class Subject:
    """Tokens as `shilu_core.words` gives them, each once; concepts as numbers of `aspects.CONCEPTS`."""

    words: tuple[str, ...]
    pairs: tuple[str, ...]
    names: tuple[str, ...]
    head_words: tuple[str, ...]
    head_pairs: tuple[str, ...]
    concepts: frozenset[int]
    head_concepts: frozenset[int]


def subject_of(question: str) -> Subject:
    """Never fails; a question without content words has an empty subject."""
    words, pairs = _content(question)
    read = question[:MOST_READ]
    heads = [matched[1] for pattern in (_HEAD_EN, _HEAD_BEHIND, _HEAD_BEFORE) for matched in pattern.finditer(read)]
    parts = [_content(_attribute(head)) for head in heads]
    head_words = tuple(dict.fromkeys(word for found, _ in parts for word in found))
    head_pairs = tuple(dict.fromkeys(pair for _, found in parts for pair in found))
    east_asian = is_cjk(question)
    names = tuple(word for word in words if east_asian or _NAME.search(word))
    about = concepts(" ".join((*head_words, *head_pairs)))
    return Subject(words, pairs, names, head_words, head_pairs, concepts(_asking(read)), about)


def _asking(question: str) -> str:
    """The clauses that ask: what stands around them is occasion and not what an answer must speak of."""
    clauses = _CLAUSE.split(question)
    return " ".join(clause for clause in clauses if _ASKS.search(clause)) or question


def _attribute(head: str) -> str:
    """What stands behind the last 的: of "the port of the gateway" the port is asked for, the gateway is its owner."""
    return head.rpartition("的")[2] or head


def _content(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words (stemmed, identifiers whole and split) and pairs of Han, without question words."""
    words = dict.fromkeys(word for word in tokens(text).words if word not in _QUESTION_WORDS)
    runs = _HAN_RUN.findall(_EMPTY.sub(" ", normalise(text)))
    pairs = dict.fromkeys(run[start : start + 2] for run in runs for start in range(max(len(run) - 1, 1)))
    return tuple(words), tuple(pairs)
