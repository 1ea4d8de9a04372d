"""A stop, before anything else is asked: matched as words in whatever is left of a text.

A doubtful stop is a stop; `stop_heard` weighs the whole sentence beside it. Here it is ruled out only by what shows
that somebody asks, tells, quotes, resets, or means a thing that merely has the word in it. A bare cry is a stop
whatever marks, repetition or politeness surround it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from offline_rules.lexicon import DATA
from offline_rules.mood import words_pattern
from offline_rules.reading import StopSense

_NOISE: Final = re.compile(
    r"[^\w\u4e00-\u9fff]+|(?<![a-z'])(?:please|pls|plz|now|right|immediately|it|the|that|this|arm|robot|robotic|machine|gripper|everything|"
    r"all|just|oh|god|my|hey|no|ok|okay|quick|quickly|at|once|asap|dammit|damn|damned|fucking|fuck|shit|moving|move|motion|"
    r"you|for|me|us|sake|everyone|everybody|somebody|one|over|out|sir|miss|mate|i|yo|dude|man|bro|guys|wait|help|and|so|there|here|or|else|already|a|ah|aah|aaah|argh|oi|hello|hurry|up|seriously|"
    r"operation|operations|movement|line|belt|conveyor|cell|system|thing|stuff|arm_\d+|stop|halt|freeze|thanks|thank|tell|make|let|get|to)(?![a-z'])"
    r"|电机|马达|[啊呀吧啦哎喂嘿了快请麻烦赶紧马上立刻立即全部都给我先你您它机械臂器人设备夹爪一下现在动作运动运行所有的整个系统产线去切嘛哦噢哇呐停啊唉呦天哪妈卧槽靠救命不好谢谢帮让叫手]+|\d+号?",
    re.ASCII,
)
_REPEATED: Final = re.compile(r"([a-z])\1{2,}")
_SPELT: Final = re.compile(r"(?<![a-z0-9'])[a-z](?:[ .\-][a-z]){3,5}(?![a-z0-9'])")
_PICTURES: Final = re.compile(r"[^\w\s.,!?;:'\"<>«»()\[\]{}=_/\u2026\u25a1-]|~")
_TRAILING: Final = re.compile(r"[\s,;:~_-]+$")
_OVER_AND_OVER: Final = re.compile(r"(.{3,}?[.!]*)(?:[ ,.!]*\1)+")
_LONGEST_CRY: Final = 80
"""Characters; a longer text is not looked through for one that is said over and over."""
_HELD: Final = re.compile(r"(?<![a-z])(stop|halt)(?:1+|\1+)(?![a-z0-9])")
"""1 for !, and no spaces."""
_NO_CRY: Final = (
    "^to",
    *(f" {w}" for w in ["to", "the", "a", "an", "of", "not", "we", "you", "i", "they", "or", "is", "are", "was", "be"]),
    "will",
    "must",
    "n't",
    " emergency",
)
"""After these `stop` at the end is a noun or told of."""
_CLAUSE: Final = re.compile(
    r",|(?<![要就会得让叫该能可我他她说喊写按])(?=(?:快|赶紧|赶快|马上|立刻|立即|你先|给我)(?:急?停|别动|按停|叫停))|"
    + "".join(f"(?<!{word})" for word in _NO_CRY)
    + r" (?=(?:please )?(?:emergency )?(?:stop|halt|freeze)(?: it| that| this| now| please| quick| quickly|"
    + r" (?:the |that |this )?(?:arm|robot|line|belt|machine|thing|conveyor|cell))*[ .!?]*$)"
)
"""Where a cry may begin; people who shout type no commas."""
_BEFORE: Final = (
    r"(?:oh|hey|no|please|oi|god|my god|wait|quick|you|ok|okay|help|now|robot|arm|man|mate|guys)(?![a-z'])"
    r"|[啊快请哎喂嘿先给我你赶紧马上立刻]"
)
"""What may stand before a cry that begins a sentence."""
_AFTER: Final = (
    r"(?:\W|(?<![a-z])(?:it|that|this|the|arm|robot|machine|gripper|now|please|right|at|once|immediately|moving)(?![a-z])"
    r"|[它吧啊呀啦]|机械臂|机器人|手臂|夹爪|机器)*"
)
"""What may stand after a stop verb that ends a sentence."""
_BECAUSE: Final = re.compile(r"(?<![a-z])(?:because|since|will)(?![a-z])|因为|由于")
_SENTENCE: Final = re.compile(r"[^.!?;]+[.!?;]*")
_QUOTED: Final = re.compile(
    r"""["«<][^"»>]*[\w\u4e00-\u9fff][^"»>]*["»>]|(?<![a-z0-9])'[^']*[\w\u4e00-\u9fff][^']*'(?![a-z0-9])"""
)


@dataclass(frozen=True, slots=True)
class _Lexicon:
    words: re.Pattern[str]
    anywhere: re.Pattern[str]
    compounds: re.Pattern[str]
    presses: re.Pattern[str]
    resets: re.Pattern[str]
    rules_out: re.Pattern[str]
    asks: re.Pattern[str]
    begins: re.Pattern[str]
    dangers: re.Pattern[str]
    cries: re.Pattern[str]
    calls: re.Pattern[str]
    wordless: re.Pattern[str]
    asked: re.Pattern[str]
    verb: re.Pattern[str]
    tells: re.Pattern[str]
    undone: re.Pattern[str]


def stop_sense(text: str) -> StopSense:
    """Whether a normalised text is a stop, holds a stop word that is none, or neither."""
    lexicon = _lexicon()
    text = _tidied(text)
    if not _holds_word(text, lexicon):
        # Without a word of a stop there is nothing that could be ruled out: the few cries that have none, or no stop.
        return StopSense.STOP if _some_sentence(text, _wordless, lexicon) else StopSense.NONE
    return StopSense.STOP if _some_sentence(text, _is_stop, lexicon) else StopSense.RULED_OUT


def cried(text: str) -> bool:
    """Whether a stop stands by itself: a cry alone, before its reason or in a clause of its own, a press of the button,
    or the verb that begins or ends a sentence. In other stops the word is one of a sentence."""
    return _some_sentence(_tidied(text), _stands_out, _lexicon())


def doubtful(text: str) -> bool:
    """Whether a stop word stands in a normalised text that is ruled out by nothing but the words around it, which show
    no question, report, reset, compound or quotation."""
    lexicon = _lexicon()
    text = _cry(text, lexicon)
    against = (lexicon.rules_out, lexicon.resets, lexicon.tells, _QUOTED)
    if "?" in text or any(pattern.search(text) for pattern in against):
        return False
    return lexicon.words.search(lexicon.compounds.sub(" x ", text)) is not None


def names_danger(text: str) -> bool:
    """Whether a normalised text speaks of somebody in danger ("my finger is caught"); no stop by itself."""
    return _lexicon().dangers.search(text) is not None


def stop_words() -> tuple[str, ...]:
    """The lexicon: each of these alone is a stop."""
    tables = tomllib.loads((DATA / "stop.toml").read_text(encoding="utf-8"))
    return (*tables["words_zh"], *tables["words_en"])


def _holds_word(text: str, lexicon: _Lexicon) -> bool:
    words = lexicon.words.search(_REPEATED.sub(r"\1", text))
    return words is not None or lexicon.presses.search(text) is not None


def _tidied(text: str) -> str:
    """Without pictures and marks that end nothing, said once where it was said over and over, and a word that was spelt
    out as one."""
    text = _PICTURES.sub(" ", text)
    text = _TRAILING.sub("", text)
    said = _OVER_AND_OVER.fullmatch(text) if len(text) <= _LONGEST_CRY else None
    text = _HELD.sub(r"\1!", said.group(1) if said else text)
    return _SPELT.sub(lambda found: re.sub(r"[^a-z]", "", found.group()), text)


def _some_sentence(text: str, is_one: Callable[[str, _Lexicon], bool], lexicon: _Lexicon) -> bool:
    """Whether one of the sentences is one, whatever its letters' repetition; not the one that is somebody's words."""
    if _QUOTED.search(text):
        return False
    told = False
    for sentence in _SENTENCE.findall(text):
        if not told and (is_one(sentence, lexicon) or is_one(_REPEATED.sub(r"\1", sentence), lexicon)):
            return True
        told = lexicon.tells.search(sentence) is not None
    return False


def _is_stop(sentence: str, lexicon: _Lexicon) -> bool:
    """One sentence by itself: a cry, or a stop word with nothing against it."""
    if _is_cry(sentence, lexicon):
        return True
    cry = _cry(sentence, lexicon)
    if lexicon.rules_out.search(cry):
        return False
    without = lexicon.compounds.sub(" x ", cry)
    return lexicon.anywhere.search(without) is not None and lexicon.resets.search(without) is None


def _stands_out(sentence: str, lexicon: _Lexicon) -> bool:
    """A cry, or a stop whose verb begins or ends the sentence: the first and the last word are what is meant. A noun
    there may be told of: "e-stop in or out"."""
    if _is_cry(sentence, lexicon):
        return True
    cry = lexicon.compounds.sub(" x ", _cry(sentence, lexicon))
    return lexicon.verb.search(cry) is not None and _is_stop(sentence, lexicon)


def _is_cry(sentence: str, lexicon: _Lexicon) -> bool:
    cry = _cry(sentence, lexicon)
    if _bare(cry, lexicon):
        return True
    if not lexicon.asks.search(cry) and any(_bare(clause, lexicon) for clause in _clauses(cry, lexicon)):
        return True
    if _cried_first(cry, lexicon):
        return True
    if _says_why(cry, lexicon) or ("?" not in cry and lexicon.calls.search(cry)) or lexicon.asked.search(cry):
        return True
    if _wordless(cry, lexicon):
        return True
    return lexicon.rules_out.search(cry) is None and lexicon.presses.search(cry) is not None


def _cried_first(cry: str, lexicon: _Lexicon) -> bool:
    """A cry, or a polite one, in a clause of its own with nothing before it that asks: what follows is why, and asks
    nothing of us. Not where it follows whose words they are."""
    if "?" in cry or lexicon.tells.search(cry):
        return False
    for clause in _clauses(cry, lexicon)[:-1]:
        if (_bare(clause, lexicon) and lexicon.verb.search(clause.strip())) or lexicon.asked.search(clause.strip()):
            return True
        if lexicon.asks.search(clause):
            return False
    return False


def _wordless(sentence: str, lexicon: _Lexicon) -> bool:
    """A cry that has no word of a stop: "get it off me", 拉闸, a slip of the typing alone."""
    return "?" not in sentence and lexicon.wordless.search(sentence) is not None


def _cry(sentence: str, lexicon: _Lexicon) -> str:
    """Without what is said in anger beside it, and with what was undone as no stop word."""
    return lexicon.cries.sub(" ", lexicon.undone.sub(" x ", sentence))


def _says_why(cry: str, lexicon: _Lexicon) -> bool:
    """A cry that begins the sentence, with somebody in danger in the same breath: "stop my hand is in there"."""
    begun = lexicon.begins.match(lexicon.compounds.sub(" x ", cry))
    if begun is None or "?" in cry:
        return False
    why = cry[begun.end() :]
    return lexicon.dangers.search(why) is not None and lexicon.asks.search(_BECAUSE.sub(" ", why)) is None


def _clauses(sentence: str, lexicon: _Lexicon) -> list[str]:
    return _CLAUSE.split(lexicon.compounds.sub(" x ", sentence))


def _bare(text: str, lexicon: _Lexicon) -> bool:
    """Nothing but stop words, cries and names of the machine."""
    without = lexicon.compounds.sub(" x ", text)
    if lexicon.words.search(without) is None or lexicon.rules_out.search(text):
        return False
    return not _NOISE.sub("", lexicon.words.sub(" ", without))


@cache
def _lexicon() -> _Lexicon:
    tables = tomllib.loads((DATA / "stop.toml").read_text(encoding="utf-8"))
    alone = frozenset(tables["alone"])
    zh, en = tables["words_zh"], tables["words_en"]
    out_zh, out_en, besides = tables["rules_out_zh"], tables["rules_out_en"], frozenset(tables["besides"])
    patterns: list[str] = tables["rules_out_patterns"]
    nouns = frozenset(tables["nouns"])
    verbs = words_pattern([w for w in zh if w not in nouns], [w for w in en if w not in nouns]).pattern
    return _Lexicon(
        words_pattern(zh, en),
        words_pattern([w for w in zh if w not in alone], [w for w in en if w not in alone]),
        _split(tables["compounds"], tables["compounds_patterns"]),
        _split(tables["presses"], tables["presses_patterns"]),
        _split(tables["resets"]),
        _any_of(patterns, out_zh, out_en),
        _any_of(patterns, [w for w in out_zh if w not in besides], [w for w in out_en if w not in besides]),
        re.compile(rf"\W*(?:(?:{_BEFORE})\W*)*(?:{words_pattern(zh, en).pattern})"),
        _split(tables["dangers"]),
        _split(tables["cries"], tables["cries_patterns"]),
        re.compile("|".join(tables["calls_patterns"])),
        re.compile("|".join(tables["wordless_patterns"])),
        re.compile("|".join(tables["asked_patterns"])),
        re.compile(rf"^\W*(?:(?:{_BEFORE})\W*)*(?:{verbs})|(?:{verbs}){_AFTER}$"),
        _split(tables["tells"]),
        re.compile("|".join(tables["undone_patterns"])),
    )


def _any_of(patterns: list[str], zh: list[str], en: list[str]) -> re.Pattern[str]:
    return re.compile("|".join([*patterns, words_pattern(zh, en).pattern]))


def _split(words: list[str], patterns: Iterable[str] = ()) -> re.Pattern[str]:
    plain = words_pattern([w for w in words if not w.isascii()], [w for w in words if w.isascii()])
    return re.compile("|".join([*patterns, plain.pattern]))
