"""An OpenAI-compatible endpoint: a real server on loopback, keys, caps, refusals."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shilu_core.embed.openai_encoder import OpenAIEndpoint, make
from shilu_core.embed.settings import EmbedderSettings, read_key
from shilu_core.embed.spend import FILE_NAME, Spend
from shilu_core.errors import EmbedderUnusable


class Server:
    """Answers `/v1/embeddings` with vectors of text length; `status` and `answer` make it misbehave."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.status, self.answer = 200, b""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append((self.headers.get("Authorization", ""), body))
                rows = [
                    {"index": place, "embedding": [len(text), 1.0, 0.0]} for place, text in enumerate(body["input"])
                ]
                data = outer.answer or json.dumps({"data": rows[::-1], "usage": {"total_tokens": 1000}}).encode()
                self.send_response(outer.status)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    thread = threading.Thread(target=found.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    found.http.shutdown()
    thread.join()
    found.http.server_close()


def settings(server: Server, **changes: Any) -> EmbedderSettings:
    return EmbedderSettings(**{"endpoint": server.url, "model": "small", "key": "kx-123", **changes})


def test_vectors_come_in_the_order_of_the_texts(server: Server) -> None:
    endpoint = make(settings(server))
    vectors = endpoint.encode(["a", "four"], "passage")
    assert endpoint.dimensions == 3
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [1, 4])
    assert server.asked[-1] == ("Bearer kx-123", {"model": "small", "input": ["a", "four"], "encoding_format": "float"})


def test_no_texts_ask_nothing(server: Server) -> None:
    endpoint = make(settings(server))
    assert endpoint.encode([], "query").shape == (0, 3)
    assert len(server.asked) == 1


def test_many_texts_go_in_batches(server: Server) -> None:
    endpoint = make(settings(server))
    assert endpoint.encode(["x"] * 130, "passage").shape == (130, 3)
    assert [len(body["input"]) for _, body in server.asked[1:]] == [64, 64, 2]


def test_what_the_endpoint_counts_is_added_up_and_kept(server: Server, tmp_path: Path) -> None:
    make(settings(server, state=tmp_path, price_per_million_tokens=100.0))
    assert Spend(tmp_path, 1.0).spent() == pytest.approx(0.1)
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0


def test_nothing_is_sent_past_the_cap(server: Server, tmp_path: Path) -> None:
    Spend(tmp_path, 1.0).add(0.9999)
    with pytest.raises(
        EmbedderUnusable, match=r"cap for this month is reached \(0\.9999 of 1\.00 spent\); raise spendCap"
    ):
        make(settings(server, state=tmp_path, price_per_million_tokens=100.0))
    assert server.asked == []


def test_a_new_month_begins_at_nothing(tmp_path: Path) -> None:
    Spend(tmp_path, 1.0, lambda: date(2026, 11, 30)).add(1.0)
    Spend(tmp_path, 1.0, lambda: date(2026, 12, 1)).require(0.5)


def test_an_unreadable_account_sends_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("[1]")
    with pytest.raises(EmbedderUnusable, match="nothing is sent; mend or remove the file"):
        Spend(tmp_path, 1.0).require(0.0)


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "check the key"), (429, "try later"), (500, "try later"), (404, "model")]
)
def test_a_refusal_names_the_next_step_and_not_the_key(server: Server, status: int, hint: str) -> None:
    server.status = status
    with pytest.raises(EmbedderUnusable, match=f"HTTP {status}.*{hint}") as raised:
        make(settings(server))
    assert "kx-123" not in str(raised.value)


def test_a_redirect_is_not_followed(server: Server) -> None:
    server.status = 302
    with pytest.raises(EmbedderUnusable, match="HTTP 302"):
        make(settings(server))


@pytest.mark.parametrize(
    "answer", [b"not json", b"{}", b"[]", b'{"data": []}', b'{"data": [{"index": 0, "embedding": [NaN]}]}']
)
def test_a_broken_answer_is_an_expected_failure(server: Server, answer: bytes) -> None:
    server.answer = answer
    with pytest.raises(EmbedderUnusable):
        make(settings(server))


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("http://embeddings.example.net/v1", "plain http beyond this machine"),
        ("https://me:pw@embeddings.example.net/v1", "holds a login"),
        ("embeddings.example.net", "is no URL"),
    ],
)
def test_an_unsafe_endpoint_is_refused_before_anything_is_sent(endpoint: str, message: str) -> None:
    with pytest.raises(EmbedderUnusable, match=message):
        OpenAIEndpoint(EmbedderSettings(endpoint=endpoint, model="small"), Spend(None, 1.0))


def test_a_dead_endpoint_is_told() -> None:
    with pytest.raises(EmbedderUnusable, match="cannot be used"):
        make(EmbedderSettings(endpoint="http://127.0.0.1:1/v1", model="small"))


def test_the_key_comes_from_the_environment_or_a_private_file(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text("from-file\n")
    key_file.chmod(0o600)
    assert read_key({"SHILU_EMBEDDING_KEY": "from-env"}, key_file) == "from-env"
    assert read_key({}, key_file) == "from-file"
    assert read_key({}) == ""


def test_a_key_file_for_others_or_in_the_vault_is_refused(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text("from-file\n")
    key_file.chmod(0o644)
    with pytest.raises(EmbedderUnusable, match="chmod 600"):
        read_key({}, key_file)
    with pytest.raises(EmbedderUnusable, match="inside the vault"):
        read_key({}, key_file, vault=tmp_path)


def test_the_key_is_in_no_representation(server: Server) -> None:
    assert "kx-123" not in repr(settings(server))
