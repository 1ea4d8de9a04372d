"""Phrase packs: what the TOML files of a folder say, read once, with file and line for whoever wrote them.

A pack is one intent in one language:

    intent = "QUERY_RULE"          # or outcome = "vague" with candidates = [...]
    lang = "en"
    [[group]]                      # attributes that its phrases share, all optional
    cover = 0.6                    # least share of the sentence's meaning that a phrase must take in
    action = "home"                # CONTROL_DEVICE only
    unless = ["personal"]          # word classes whose presence rules the group out
    mood = "QUESTION"              # only in a sentence of that mood
    start = true                   # only polite words may stand before it
    [group.phrases]
    goes_where = "{item} <goes> <where>"

A phrase is words, `<class>` of words, `{slot}`, `[optional]` and `(one|other)`, matched in order; `{text}` at its end
takes the rest as it was written, `{object}` a thing that the cell does not know. A pack may add `[classes]`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from offline_rules.lexicon import DATA
from offline_rules.pattern import Elements, PatternError, expand
from offline_rules.reading import Intent, Lang, Mood

DEFAULT_COVER: Final = 0.55
MAX_PHRASES: Final = 20_000
"""Of all packs together; more is a file gone wrong, not a language."""
ACTIONS: Final = frozenset(
    {"home", "pick", "place", "pick_place", "move", "open_gripper", "close_gripper", "park", "reset"}
)
_KEY: Final = re.compile(r"""[ \t]*\[*["']?([^\s"'=\[\]]+)["']?[ \t]*(?:=|\])""")
_UNKNOWN_THINGS: Final = frozenset({"{object}", "<foreign>"})
_PACK_KEYS: Final = frozenset({"intent", "lang", "group", "classes", "macros", "outcome", "candidates"})
_GROUP_KEYS: Final = frozenset({"cover", "action", "unless", "mood", "phrases", "start"})


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one line of one file."""

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.key}: {self.message}"


class PackError(Exception):
    """A pack that can not be used. Nothing of it was loaded; the agent must not start with half a language."""

    def __init__(self, file: str, line: int, key: str, message: str) -> None:
        super().__init__(f"{file}:{line}: {key}: {message}")
        self.file, self.line, self.key, self.message = file, line, key, message

    @staticmethod
    def of(problem: Problem) -> PackError:
        return PackError(problem.file, problem.line, problem.key, problem.message)


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase with what its group says of it; `variants` are its flat sequences of elements."""

    rule_id: str
    intent: Intent
    lang: Lang
    say: str
    variants: tuple[Elements, ...]
    cover: float
    action: str | None
    unless: frozenset[str]
    mood: Mood | None
    start: bool
    vague: tuple[Intent, ...] | None
    file: str
    line: int

    @property
    def wholly(self) -> bool:
        """Fits only what it understands to the last word: a half sentence, or a thing that nobody knows."""
        return self.vague is not None or not _UNKNOWN_THINGS.isdisjoint(self.asks())

    def asks(self) -> frozenset[str]:
        """Every key that any of its sequences asks for."""
        return frozenset(key for elements in self.variants for element in elements for key in element)


@dataclass(frozen=True, slots=True)
class Pack:
    file: str
    lang: Lang
    phrases: tuple[Phrase, ...]
    classes: Mapping[str, tuple[str, ...]]
    class_lines: Mapping[str, int]


def shipped() -> tuple[Path, ...]:
    """The folders of the packs that come with the package."""
    return (DATA / "packs",)


def load_packs(folders: Sequence[Path]) -> tuple[Pack, ...]:
    """All `*.toml` below the folders, in a fixed order. Raises `PackError` at the first that can not be read."""
    packs = []
    for folder in folders:
        if not folder.is_dir():
            raise PackError(str(folder), 0, "folder", "no such folder; give the folder that holds the packs")
        packs += [read_pack(path, folder) for path in sorted(folder.rglob("*.toml"))]
    count = sum(len(pack.phrases) for pack in packs)
    if count > MAX_PHRASES:
        raise PackError(str(folders[-1]), 0, "phrases", f"{count} phrases, at most {MAX_PHRASES} are read")
    return tuple(packs)


def read_pack(path: Path, folder: Path) -> Pack:
    """One pack; `folder` is what its rule ids are relative to."""
    source = _Source.of(path)
    raw = source.tables()
    source.only(raw, _PACK_KEYS, "a pack")
    intent, vague = _outcome(raw, source)
    lang = raw.get("lang")
    if lang not in ("zh", "en"):
        raise source.error("lang", f'{lang!r} is not "zh" or "en"')
    name = path.relative_to(folder).with_suffix("").as_posix()
    macros = source.words(raw, "macros", str)
    groups = raw.get("group")
    if not isinstance(groups, list) or not groups or not all(isinstance(group, dict) for group in groups):
        raise source.error("group", "a pack needs at least one [[group]] with [group.phrases]")
    reader = _GroupReader(source, name, intent, lang, vague, macros)
    phrases = tuple(phrase for group in groups for phrase in reader.phrases(group))
    classes = {key: tuple(words) for key, words in source.words(raw, "classes", list).items()}
    return Pack(str(path), lang, phrases, classes, {name: source.line(name) for name in classes})


@dataclass(frozen=True, slots=True)
class _Source:
    """A file's text, to find the line of a key that is wrong."""

    path: Path
    text: str
    lines: Mapping[str, int]

    @staticmethod
    def of(path: Path) -> _Source:
        try:
            text = path.read_text(encoding="utf-8")
            return _Source(path, text, _lines_of_keys(text))
        except (OSError, UnicodeDecodeError) as error:
            raise PackError(str(path), 0, "file", f"can not be read: {error}") from error

    def tables(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"at line (\d+)", str(error))
            line = int(at.group(1)) if at else self.text.count("\n") + 1
            raise PackError(str(self.path), line, "toml", str(error)) from error

    def line(self, key: str) -> int:
        """The first line that sets `key`; 1 where it is not written at all."""
        return self.lines.get(key, 1)

    def error(self, key: str, message: str) -> PackError:
        return PackError(str(self.path), self.line(key), key, message)

    def only(self, table: Mapping[str, Any], allowed: frozenset[str], what: str) -> None:
        for key in table:
            if key not in allowed:
                raise self.error(key, f"{what} has no such key; known are {', '.join(sorted(allowed))}")

    def words(self, raw: Mapping[str, Any], key: str, kind: type) -> dict[str, Any]:
        table = raw.get(key, {})
        if not isinstance(table, dict):
            raise self.error(key, "must be a table")
        value: object
        for name, value in table.items():
            words = value if isinstance(value, list) else [value]
            if not isinstance(value, kind) or not all(isinstance(word, str) and word for word in words):
                raise self.error(name, "must be a phrase" if kind is str else "must be a list of words")
        return table


@dataclass(frozen=True, slots=True)
class _GroupReader:
    source: _Source
    name: str
    intent: Intent
    lang: Lang
    vague: tuple[Intent, ...] | None
    macros: Mapping[str, str]

    def phrases(self, group: dict[str, Any]) -> Iterator[Phrase]:
        self.source.only(group, _GROUP_KEYS, "a group")
        says: object = group.get("phrases")
        if not isinstance(says, dict) or not says:
            raise self.source.error("phrases", "a group needs [group.phrases] with at least one phrase")
        cover, action = self._cover(group), self._action(group)
        unless, mood, start = self._unless(group), self._mood(group), self._start(group)
        for key, say in says.items():
            yield Phrase(
                f"{self.name}:{key}", self.intent, self.lang, str(say), self._variants(key, say), cover, action,
                unless, mood, start, self.vague, str(self.source.path), self.source.line(key),
            )  # fmt: skip

    def _variants(self, key: str, say: object) -> tuple[Elements, ...]:
        if not isinstance(say, str):
            raise self.source.error(key, "a phrase is a text")
        try:
            return expand(say, self.macros)
        except PatternError as error:
            raise self.source.error(key, str(error)) from error

    def _cover(self, group: Mapping[str, Any]) -> float:
        cover = group.get("cover", 1.0 if self.intent is Intent.CONTROL_DEVICE or self.vague else DEFAULT_COVER)
        if not isinstance(cover, int | float) or isinstance(cover, bool) or not 0.0 < cover <= 1.0:
            raise self.source.error("cover", f"{cover!r} is not a share between 0 and 1")
        if self.intent is Intent.CONTROL_DEVICE and cover < 1.0:
            raise self.source.error("cover", "a command must be understood whole: its cover is 1.0")
        return float(cover)

    def _action(self, group: Mapping[str, Any]) -> str | None:
        action = group.get("action")
        if self.intent is Intent.CONTROL_DEVICE and self.vague is None:
            if not _one_of(action, ACTIONS):
                raise self.source.error("action", f"{action!r} is none of {', '.join(sorted(ACTIONS))}")
            return str(action)
        if action is not None:
            raise self.source.error("action", "only CONTROL_DEVICE has actions")
        return None

    def _unless(self, group: Mapping[str, Any]) -> frozenset[str]:
        names = group.get("unless", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self.source.error("unless", "must be a list of class names")
        return frozenset(f"<{name}>" for name in names)

    def _start(self, group: Mapping[str, Any]) -> bool:
        start = group.get("start", False)
        if not isinstance(start, bool):
            raise self.source.error("start", "must be true or false")
        return start

    def _mood(self, group: Mapping[str, Any]) -> Mood | None:
        mood = group.get("mood")
        if mood is None:
            return None
        if not _one_of(mood, Mood.__members__):
            raise self.source.error("mood", f"{mood!r} is none of {', '.join(Mood.__members__)}")
        return Mood(mood)


def _outcome(raw: Mapping[str, Any], source: _Source) -> tuple[Intent, tuple[Intent, ...] | None]:
    if raw.get("outcome", "match") == "vague":
        names = raw.get("candidates", [])
        if not isinstance(names, list) or not all(_one_of(name, Intent.__members__) for name in names):
            raise source.error("candidates", f"must be a list of intents out of {', '.join(Intent.__members__)}")
        return Intent.UNKNOWN, tuple(Intent(name) for name in names)
    if "outcome" in raw:
        raise source.error("outcome", 'may only be "vague"')
    intent = raw.get("intent")
    if not _one_of(intent, Intent.__members__) or intent in ("STOP", "UNKNOWN"):
        raise source.error("intent", f"{intent!r} is no intent that phrases can have")
    return Intent(str(intent)), None


def _lines_of_keys(text: str) -> dict[str, int]:
    """The first line, from 1, that each key or table stands on."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key = _KEY.match(line)
        if key is not None:
            found.setdefault(key.group(1), number)
    return found


def _one_of(value: object, allowed: Container[str]) -> bool:
    return isinstance(value, str) and value in allowed
