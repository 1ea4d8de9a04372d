"""The READMEs show the page as it is."""

from __future__ import annotations

import pytest

from edge_agent.places import checkout
from tests.hmi.pictures import AGAIN, MADE_FROM, NAMES, SHOWN, fingerprint


def test_the_pictures_were_made_from_this_page() -> None:
    assert MADE_FROM.read_text().strip() == fingerprint(), f"the page has changed since; look at it and type: {AGAIN}"


@pytest.mark.parametrize(("file", "lang"), [("README.md", "en"), ("README.zh-CN.md", "zh")])
def test_each_readme_shows_both_in_its_language(file: str, lang: str) -> None:
    root = checkout()
    assert root is not None
    said = (root / file).read_text("utf-8")
    for name in NAMES:
        picture = SHOWN / f"{name}-{lang}.png"
        assert str(picture.relative_to(root)) in said
        assert picture.stat().st_size > 20_000
