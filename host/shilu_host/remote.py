"""`shilu search --remote URL`: asks another machine's daemon, through a tunnel or TLS."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from shilu_core.errors import ShiluError, UsageError

TOKEN_VARIABLE = "SHILU_REMOTE_TOKEN"
ANSWER_SECONDS = 8.0
ANSWER_BYTES = 4_000_000
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class RemoteSilent(ShiluError):
    """The other machine did not answer, or not with a search's answer."""


def search(url: str, query: str, limit: int, environment: Mapping[str, str]) -> dict[str, Any]:
    """The remote's answer: `block` and `hits`. Raises UsageError for plain http beyond loopback, else RemoteSilent."""
    check(url)
    token = environment.get(TOKEN_VARIABLE, "")
    if not token:
        raise UsageError(f"set {TOKEN_VARIABLE} to the other machine's read-only token (there: shilu token read)")
    body = json.dumps({"query": query, "limit": limit}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(url.rstrip("/") + "/search", body, headers)
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=ANSWER_SECONDS) as answer:
            found = json.loads(answer.read(ANSWER_BYTES))
    except urllib.error.HTTPError as error:
        raise RemoteSilent(f"{url} said {error.code}") from error
    except (OSError, ValueError) as error:
        raise RemoteSilent(f"{url} did not answer: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("hits"), list):
        raise RemoteSilent(f"{url} is no shilu daemon")
    return found


def check(url: str) -> None:
    """Raises UsageError unless `url` is https, or http on loopback, where a tunnel ends."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"--remote {url!r} is no http or https address")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise UsageError(
            f"--remote {url} would send the token in the clear; use https, or a tunnel: "
            f"ssh -L 47600:127.0.0.1:PORT {parts.hostname}, then --remote http://127.0.0.1:47600"
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could lead the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None
