"""Packaged weights are the ones we measured, or they are not loaded."""

from __future__ import annotations

import hashlib
from pathlib import Path

from shilu_core.errors import EmbedderUnusable


def require_digest(path: Path, sha256: str, model: str) -> None:
    """Raises EmbedderUnusable unless the file at `path` has this sha256 (hex)."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnusable(f"{model}: its weights cannot be read ({error}); reinstall the package") from error
    if found != sha256:
        raise EmbedderUnusable(
            f"{model}: {path.name} is not the file this release was measured with (sha256 {found[:12]}..., "
            f"expected {sha256[:12]}...); reinstall the package"
        )
