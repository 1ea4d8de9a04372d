"""Sentences of other people's domains, out of two public packages: a home assistant's commands, and chat.

Nobody here wrote them, so they say what a cell does with talk that was never meant for it. The home's are spelled out
from its templates by a seeded walk; what its lists leave to the house (a lamp, a room) comes from `HOUSE`.

`python -m tests.language.public_sentences FOLDER [EACH]` writes them as labelled lines, EACH of a language at most;
`--last` takes them from behind the first `JUDGED`, which nothing is fitted on.
"""

from __future__ import annotations

import argparse
import importlib.resources
import json
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from hassil import expression as said
from hassil.intents import Intents, RangeSlotList, TextSlotList

from offline_rules.reading import Lang

SEED: Final = 20_26
HOME: Final[Mapping[Lang, str]] = {"zh": "zh-CN", "en": "en"}
CHAT: Final[Mapping[Lang, str]] = {"zh": "chinese", "en": "english"}
A_TEMPLATE: Final = 12
"""Sentences spelled out of one template; most have fewer."""
DEEPEST: Final = 24
JUDGED: Final = 5_000
"""The first so many of a language are for judging alone."""
LONGEST: Final = 500
"""Characters; longer ones are refused before they are read."""

HOUSE: Final[Mapping[Lang, Mapping[str, tuple[str, ...]]]] = {
    "zh": {
        "name": ("床头灯", "客厅空调", "扫地机", "车库门", "咖啡机", "窗帘"),
        "area": ("厨房", "卧室", "书房", "阳台"),
        "floor": ("一楼", "二楼"),
        "": ("鸡蛋", "晚饭好了", "周杰伦的歌", "洗衣服"),
    },
    "en": {
        "name": ("bedside lamp", "living room fan", "vacuum", "garage door", "coffee maker", "curtains"),
        "area": ("kitchen", "bedroom", "study", "porch"),
        "floor": ("ground floor", "first floor"),
        "": ("eggs", "dinner is ready", "a song by the Beatles", "do the laundry"),
    },
}
"""By list; the empty name is for all others."""


def public_sentences(lang: Lang) -> tuple[str, ...]:
    """All of one language, each once, in an order that is the same every time."""
    found = sorted({" ".join(text.split()) for text in (*_home(lang), *_chat(lang))} - {""})
    random.Random(SEED).shuffle(found)
    return tuple(text for text in found if len(text) <= LONGEST)


def _home(lang: Lang) -> Iterator[str]:
    data: dict[str, Any] = json.loads(_file("home_assistant_intents", f"{HOME[lang]}.json"))
    intents = Intents.from_dict(data)
    walk = _Walk(intents, HOUSE[lang], random.Random(SEED))
    for intent in intents.intents.values():
        for block in intent.data:
            for sentence in block.sentences:
                yield from {walk.spell(sentence.expression) for _ in range(A_TEMPLATE)}


def _chat(lang: Lang) -> Iterator[str]:
    folder = importlib.resources.files("chatterbot_corpus") / "data" / CHAT[lang]
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        for talk in yaml.safe_load(file.read_text(encoding="utf-8"))["conversations"]:
            yield from map(str, talk)


class _Walk:
    def __init__(self, intents: Intents, house: Mapping[str, tuple[str, ...]], chance: random.Random) -> None:
        self._intents = intents
        self._house = house
        self._chance = chance

    def spell(self, part: said.Expression, depth: int = 0) -> str:
        """One sentence of a template. Rules that name each other end at `DEEPEST`, with nothing."""
        if depth > DEEPEST:
            return ""
        match part:
            case said.TextChunk():
                return part.original_text
            case said.Alternative():
                return self.spell(self._chance.choice(part.items), depth + 1)
            case said.Permutation():
                order = self._chance.sample(part.items, len(part.items))
                return " ".join(self.spell(item, depth + 1) for item in order)
            case said.Group():
                return "".join(self.spell(item, depth + 1) for item in part.items)
            case said.RuleReference():
                return self.spell(self._intents.expansion_rules[part.rule_name].expression, depth + 1)
            case said.ListReference():
                return self._value(part.list_name, depth)
        raise TypeError(f"no way to spell {part!r}")

    def _value(self, name: str, depth: int) -> str:
        match self._intents.slot_lists.get(name):
            case TextSlotList(values=values) if values:
                return self.spell(self._chance.choice(values).text_in, depth + 1)
            case RangeSlotList() as numbers:
                return str(self._chance.randrange(int(numbers.start), int(numbers.stop) + 1))
        return self._chance.choice(self._house.get(name, self._house[""]))


def _file(package: str, name: str) -> str:
    return (importlib.resources.files(package) / "data" / name).read_text(encoding="utf-8")


def main(folder: Path, each: int, *, last: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    langs: tuple[Lang, ...] = ("zh", "en")
    for lang in langs:
        found = public_sentences(lang)
        lines = (
            json.dumps({"text": text, "lang": lang, "case": "other_domain", "would_move": False}, ensure_ascii=False)
            for text in (found[JUDGED:] if last else found)[:each]
        )
        (folder / f"{lang}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    wanted = argparse.ArgumentParser(prog="python -m tests.language.public_sentences")
    wanted.add_argument("folder", type=Path)
    wanted.add_argument("each", type=int, nargs="?", default=sys.maxsize)
    wanted.add_argument("--last", action="store_true")
    given = wanted.parse_args()
    main(given.folder, given.each, last=given.last)
