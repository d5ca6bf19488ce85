"""An encoder with its profile: the embedder that recall and review use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shilu_core.embed.embedder import Encoder
from shilu_core.embed.profile import Profile, from_json, probe, to_json
from shilu_core.embed.scripts import scripts_of
from shilu_core.embed.texts import clean
from shilu_core.embed.vectors import Vectors
from shilu_core.files import make_folder, replace_whole

PACKAGED = Path(__file__).with_name("profiles")


@dataclass(frozen=True)
class Registered:
    """Implements `Embedder`; texts are cleaned and cut before the encoder sees them."""

    encoder: Encoder
    profile: Profile

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def model_id(self) -> str:
        return f"{self.encoder.name}:{self.encoder.weights}:{self.profile.digest}"

    @property
    def dimensions(self) -> int:
        return self.encoder.dimensions

    @property
    def scripts(self) -> frozenset[str]:
        return self.profile.scripts

    def may_vote(self, text: str) -> bool:
        return scripts_of(text) <= self.profile.scripts

    def passages(self, texts: Sequence[str]) -> Vectors:
        cleaned = [clean(text) for text in texts]
        return self.profile.centre(self.encoder.encode(cleaned, "passage"), cleaned, "passage")

    def query(self, text: str) -> Vectors:
        cleaned = [clean(text)]
        vector: Vectors = self.profile.centre(self.encoder.encode(cleaned, "query"), cleaned, "query")[0]
        return vector


def register(encoder: Encoder, cache: Path | None = None) -> Registered:
    """The encoder with its profile: the packaged one, the one kept in `cache`, or a new probe kept there."""
    file_name = profile_name(encoder)
    for folder in (PACKAGED, cache):
        known = _read(folder / file_name) if folder else None
        if known is not None:
            return Registered(encoder, known)
    found = probe(encoder)
    if cache is not None:
        make_folder(cache, private=True)
        replace_whole(cache / file_name, to_json(found).encode("utf-8"), private=True)
    return Registered(encoder, found)


def profile_name(encoder: Encoder) -> str:
    """File name of a profile; it names the weights, so that other weights are probed anew."""
    safe = "".join(mark if mark.isalnum() or mark in "-." else "_" for mark in f"{encoder.name}-{encoder.weights}")
    return f"{safe}.json"


def _read(path: Path) -> Profile | None:
    try:
        return from_json(path.read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError):  # absent or damaged: probed again
        return None
