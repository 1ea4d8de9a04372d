"""Wording files: both languages alike, broken ones refused by name, nothing said without its facts."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import Lang
from edge_agent.release.texts import MAX_FACT_CHARS, WordingError, check_twins, parse, require, texts

LANGS: tuple[Lang, ...] = ("zh", "en")


def test_both_languages_have_the_same_keys_and_facts() -> None:
    zh, en = texts("zh"), texts("en")
    assert list(zh.table) == list(en.table)
    for key in zh.table:
        assert [v.needs for v in zh.table[key]] == [v.needs for v in en.table[key]], key


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ('a = "{x.y}"', "a", "nothing more"),
        ('a = "{x!r}"', "a", "nothing more"),
        ('a = "{x:>9}"', "a", "nothing more"),
        ('a = "{}"', "a", "nothing more"),
        ('a = "{"', "a", ""),
        ("a = 3", "a", "a text or a list"),
        ("a = []", "a", "a text or a list"),
        ('[b]\na = ["x", 3]', "b.a", "a text or a list"),
        ("a = ", "TOML", ""),
    ],
)
def test_a_broken_file_is_named_with_its_key(text: str, key: str, why: str) -> None:
    with pytest.raises(WordingError) as raised:
        parse("zh", text)
    assert str(raised.value).startswith(f"zh.toml: {key}: ")
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("zh", "en", "named"),
    [
        ('a = "x"', 'a = "x"\nb = "y"', "zh.toml: b: missing"),
        ('a = "x"\nb = "y"', 'a = "x"', "en.toml: b: missing"),
        ('a = "{n}"', 'a = "{m}"', "en.toml: a: other facts"),
        ('a = ["{n}", "x"]', 'a = "x"', "en.toml: a: other facts"),
    ],
)
def test_languages_that_differ_are_refused(zh: str, en: str, named: str) -> None:
    with pytest.raises(WordingError, match=named):
        check_twins(parse("zh", zh), parse("en", en))


def test_a_key_the_program_needs_must_be_there_and_sayable_without_facts() -> None:
    given = parse("en", 'a = ["{n} left", "some left"]\nb = "{n} left"')
    require(given, ["a", "b"])
    require(given, ["a"], bare=True)
    with pytest.raises(WordingError, match=r"en\.toml: c: missing"):
        require(given, ["c"])
    with pytest.raises(WordingError, match=r"en\.toml: b: its last variant"):
        require(given, ["b"], bare=True)


def test_the_richest_variant_that_the_facts_fill_is_said() -> None:
    given = parse("en", 'a = ["{n} of {all}", "{n}", "some"]')
    assert given.say("a", {"n": 1, "all": 2}) == "1 of 2"
    assert given.say("a", {"n": 1, "other": 2}) == "1"
    assert given.say("a") == "some"


def test_nothing_is_said_without_its_facts() -> None:
    given = parse("en", 'a = "{n} left"')
    assert given.try_say("a", {}) is None
    with pytest.raises(ValueError, match="no variant"):
        given.say("a")


def test_a_fact_is_data_and_is_cut() -> None:
    given = parse("en", 'a = "said: {text}"')
    assert given.say("a", {"text": "{text.__class__}"}) == "said: {text.__class__}"
    assert len(given.say("a", {"text": "x" * 9000})) == len("said: ") + MAX_FACT_CHARS


def test_an_unknown_tag_stays_as_it_is() -> None:
    assert texts("zh").word("role", "operator") == "操作员"
    assert texts("zh").word("role", "captain") == "captain"


def test_names_below_a_group_keep_their_order() -> None:
    assert texts("en").under("intent")[:2] == ("QUERY_RULE", "QUERY_STATUS")


FORBIDDEN = ("emergency stop", "guarantee", "certified", "exactly once", "急停")
ALLOWED = ("step.offline_person.text",)
"""The customer's own sentence, quoted."""


@pytest.mark.parametrize("lang", LANGS)
def test_no_text_claims_what_this_software_is_not(lang: Lang) -> None:
    for key, variants in texts(lang).table.items():
        said = " ".join(v.template for v in variants).lower()
        assert key in ALLOWED or not any(word in said for word in FORBIDDEN), key
