"""What counts as a thing that a text names."""

from __future__ import annotations

import pytest
from shilu_core.entities import defined_names, entities, wikilinks

MENTIONS = [
    ("pomelo runs order-svc", "identifier", "order-svc"),
    ("the ingress is 10.0.0.10.", "address", "10.0.0.10"),
    ("见 https://git.example.com/a，密码另存", "url", "https://git.example.com/a"),
    ("pages are in /srv/www/docs", "path", "/srv/www/docs"),
    ("改 deploy/test.yml 再跑", "file", "deploy/test.yml"),
    ("about #release-plan", "tag", "release-plan"),
    ("see [[Kiosk#Login|the kiosk]]", "link", "kiosk"),
    ("短信走供应商“云雀”", "name", "云雀"),
    ("People: 阿橙 leads the backend", "name", "阿橙"),
    ("the bus moved from Kafka", "name", "kafka"),
]


@pytest.mark.parametrize(("text", "kind", "key"), MENTIONS)
def test_a_mention_is_found_with_its_kind(text: str, kind: str, key: str) -> None:
    assert (kind, key) in [(entity.kind, entity.key) for entity in entities(text)]


def test_a_plain_word_is_a_name_where_some_line_defines_it() -> None:
    known = defined_names(["pomelo (10.0.0.31) is the primary", "推理服务跑在 bergamot，端口 8000"])
    assert known == {"pomelo", "bergamot"}
    assert [entity.key for entity in entities("who reboots Pomelo?", known)] == ["pomelo"]
    assert entities("who reboots pomelo?") == ()


def test_links_in_code_are_no_links() -> None:
    found = wikilinks("- Mother [[Target]] and `[[no]]`, ![[pic#h|a]], [[ note ]]suffix")
    assert [(link.target, link.heading, link.alias, link.embedded) for link in found] == [
        ("Target", "", "", False),
        ("pic", "h", "a", True),
        ("note", "", "", False),
    ]
