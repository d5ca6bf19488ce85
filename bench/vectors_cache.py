"""Query vectors of a bench, embedded once and kept outside the repository."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from shilu_core.embed import Embedder
from shilu_core.embed.vectors import Vectors


def vectors_of(texts: Sequence[str], embedder: Embedder, role: str = "query", *, batch: int = 64) -> Vectors:
    """float32 (n, d) in the order of `texts`; kept in `$SHILU_BENCH_CACHE` (default `~/.cache/shilu-bench`)."""
    folder = Path(os.environ.get("SHILU_BENCH_CACHE", "~/.cache/shilu-bench")).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(f"{embedder.model_id}\0{role}".encode()).hexdigest()[:16]
    path = folder / f"{name}.npz"
    known: dict[str, Vectors] = {}
    if path.exists():
        with np.load(path) as held:
            known = dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
    keys = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20] for text in texts]
    todo = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    for start in range(0, len(todo), batch):
        part = list(todo.items())[start : start + batch]
        found = (
            [embedder.query(text) for _, text in part]
            if role == "query"
            else list(embedder.passages([text for _, text in part]))
        )
        known.update((key, vector) for (key, _), vector in zip(part, found, strict=True))
    if todo:
        np.savez(path, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[key] for key in keys])
