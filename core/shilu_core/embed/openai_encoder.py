"""An endpoint that speaks OpenAI's `POST /embeddings` (also vLLM, Ollama, LM Studio, Azure-compatible proxies).

Texts leave the machine only where the user configured it. The key travels in a header and stands in no message;
plain http is refused beyond loopback; what is sent is counted against a monthly cap before it is sent.
https://platform.openai.com/docs/api-reference/embeddings
"""

from __future__ import annotations

import json
import math
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from shilu_core.embed.embedder import Role
from shilu_core.embed.settings import KEY_VARIABLE, EmbedderSettings
from shilu_core.embed.spend import Spend
from shilu_core.embed.vectors import Vectors, normalised
from shilu_core.errors import EmbedderUnusable

NAME = "openai"
BATCH = 64
SECONDS = 20.0  # a turn's own limit is shorter: its vector stream is left out then
MOST_BYTES = 64 << 20  # of an answer
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class OpenAIEndpoint:
    """One model behind one endpoint; `dimensions` is asked for once."""

    name = NAME

    def __init__(self, settings: EmbedderSettings, spend: Spend) -> None:
        self._settings, self._spend = settings, spend
        self._url = _checked(settings.endpoint).rstrip("/") + "/embeddings"
        self.weights = f"{settings.model}@{urlsplit(self._url).hostname}"
        self.dimensions = len(self._ask(["dimensions"])[0])

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """The API knows no roles; both are embedded alike."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            rows += self._ask(list(texts[start : start + BATCH]))
        return normalised(np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions))

    def _ask(self, texts: list[str]) -> list[list[float]]:
        self._spend.require(self._cost(_tokens_at_most(texts)))
        answer = self._post({"model": self._settings.model, "input": texts, "encoding_format": "float"})
        try:
            usage = answer.get("usage") or {}
            used = int(usage.get("total_tokens") or usage.get("prompt_tokens") or _tokens_at_most(texts))
            self._spend.add(self._cost(used))
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EmbedderUnusable(f"{self._url} answered in an unknown form ({type(error).__name__})") from error
        if len(vectors) != len(texts) or not all(map(_is_vector, vectors)):
            raise EmbedderUnusable(f"{self._url} sent {len(vectors)} vectors for {len(texts)} texts, or broken ones")
        return vectors

    def _cost(self, tokens: int) -> float:
        return tokens * self._settings.price_per_million_tokens / 1e6

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if self._settings.key:
            headers["Authorization"] = f"Bearer {self._settings.key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode("utf-8"), headers, method="POST")
        try:
            with _OPENER.open(request, timeout=SECONDS) as reply:
                found: dict[str, Any] = json.loads(reply.read(MOST_BYTES))
                return found
        except urllib.error.HTTPError as error:
            raise EmbedderUnusable(f"{self._url} refused with HTTP {error.code}{_hint(error.code)}") from error
        except (OSError, ValueError) as error:
            raise EmbedderUnusable(f"{self._url} cannot be used: {type(error).__name__}: {error}") from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def make(settings: EmbedderSettings) -> OpenAIEndpoint:
    if not settings.endpoint or not settings.model:
        raise EmbedderUnusable("openai needs an endpoint (its base URL, ending in /v1) and a model in [embedding]")
    return OpenAIEndpoint(settings, Spend(settings.state, settings.spend_cap))


def _checked(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise EmbedderUnusable(f"the endpoint {endpoint!r} is no URL; write one such as https://host/v1")
    if parts.username or parts.password:
        raise EmbedderUnusable(f"the endpoint's URL holds a login; put the key into {KEY_VARIABLE} or a 0600 file")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise EmbedderUnusable(f"the endpoint {parts.hostname} is plain http beyond this machine; use https")
    return endpoint


def _tokens_at_most(texts: Sequence[str]) -> int:
    """No tokenizer makes more tokens of a text than it has bytes in UTF-8."""
    return sum(len(text.encode("utf-8")) for text in texts)


def _is_vector(row: list[float]) -> bool:
    return bool(row) and all(map(math.isfinite, row))


def _hint(code: int) -> str:
    if code in (401, 403):
        return f"; check the key in {KEY_VARIABLE} or the key file"
    return "; try later" if code == 429 or code >= 500 else "; check endpoint and model"
