"""What an embeddings endpoint has cost this month, so that a cap holds across processes and restarts."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

from shilu_core.errors import EmbedderUnusable
from shilu_core.files import replace_whole

FILE_NAME = "embedding-spend.json"


class Spend:
    """Money by month in a 0600 file of the state folder; without a folder it is counted for this process alone."""

    def __init__(self, state: Path | None, cap: float, today: Callable[[], date] = date.today) -> None:
        self._path = state / FILE_NAME if state else None
        self._cap, self._today = cap, today
        self._months: dict[str, float] = {}

    def require(self, cost: float) -> None:
        """Raises EmbedderUnusable where `cost` more would pass the cap."""
        spent = self.spent()
        if spent + cost > self._cap:
            raise EmbedderUnusable(
                f"the endpoint's cap for this month is reached ({spent:.4f} of {self._cap:.2f} spent); raise spendCap "
                "or use a local model"
            )

    def add(self, cost: float) -> None:
        """Counts `cost`, committed on return."""
        months = self._read()
        months[self._month] = months.get(self._month, 0.0) + cost
        self._months = months
        if self._path:
            replace_whole(self._path, (json.dumps(months) + "\n").encode("ascii"), private=True)

    def spent(self) -> float:
        return self._read().get(self._month, 0.0)

    @property
    def _month(self) -> str:
        return self._today().strftime("%Y-%m")

    def _read(self) -> dict[str, float]:
        if self._path is None:
            return dict(self._months)
        try:
            held = json.loads(self._path.read_text("ascii"))
            return {str(month): float(cost) for month, cost in held.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise EmbedderUnusable(
                f"what was spent cannot be read from {self._path} ({error}), so nothing is sent; mend or remove the file"
            ) from error
