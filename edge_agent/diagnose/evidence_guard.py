"""Does each clause stand on what it cites? It approves or refuses and never rewrites. Pure.

Clause by clause: every cited record exists, is of this run and `READY`, and every number, id, device, bin and time in
the text stands in the cited projections. A conclusion needs at least one clause.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.draft import Clause, Draft

TOKEN: Final = re.compile(r"[a-z0-9]+(?:[._:/-][a-z0-9]+)*", re.ASCII)
TO_BE_PROVED: Final = re.compile(r"[\d_]")
"""Numbers, times and everything that is written like an id; plain words prove nothing and need no proof."""
CHINESE: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
COUNTED: Final = re.compile(
    r"一(?=[号箱台])|(?:[零〇二两三四五六七八九十][零〇一二两三四五六七八九十]*|一[零〇一二三四五六七八九十]+)(?=[号次个台箱件秒分时点只条])"
)
ENGLISH: Final = {
    word: str(n)
    for n, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2)
}
"""`one` is left out, as 一 is before 次 or 个: more often a pronoun than a number."""
WORDS: Final = re.compile(rf"\b({'|'.join(ENGLISH)})\b")


def failing(draft: Draft, dossier: Dossier) -> tuple[str, ...]:
    """What is wrong, one line a fault; empty when every clause stands."""
    if draft.cause is not None and not draft.clauses:
        return ("no clause supports the cause",)
    return tuple(fault for n, clause in enumerate(draft.clauses, start=1) for fault in _faults(n, clause, dossier))


def claims(text: str) -> frozenset[str]:
    """What of a text must be proved: numbers, times, ids; numerals of both languages as digits."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = WORDS.sub(lambda m: ENGLISH[m[0]], COUNTED.sub(lambda m: _number(m[0]), folded))
    return frozenset(token for token in TOKEN.findall(plain) if TO_BE_PROVED.search(token))


def _faults(number: int, clause: Clause, dossier: Dossier) -> Iterator[str]:
    cited = {record_id: dossier.record(record_id) for record_id in clause.evidence}
    missing = [record_id for record_id, found in cited.items() if found is None]
    if missing:
        yield f"clause {number}: no READY record {', '.join(missing)} in this run"
        return
    shown = " ".join(f"{r.projection.text} {r.scope}" for r in cited.values() if r is not None)
    strange = sorted(claims(clause.text) - claims(shown))
    if strange:
        yield f"clause {number}: {', '.join(strange)} not in {', '.join(clause.evidence)}"


def _number(word: str) -> str:
    """Up to 99, as it is said: 十二 is 12, 二十 is 20; a row of digits stays one (〇五 is 05)."""
    if "十" not in word:
        return "".join(str(CHINESE[c]) for c in word)
    tens, _, ones = word.partition("十")
    return str((CHINESE.get(tens[-1:], 1)) * 10 + CHINESE.get(ones[:1], 0))
