"""What holds for every sentence, not for those somebody thought of."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offline_rules.reading import Intent, StopSense
from offline_rules.router import all_classes
from offline_rules.sample import samples
from offline_rules.stop import stop_words
from tests.offline_rules.judged import disposition, moves, router
from tests.offline_rules.test_sentences import lines

FEW = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
UNDONE_OF = 4
"""Each way undoes one of so many of the packs' own commands, the next way others; all of them take minutes."""
SURE_NOT_COMMANDS = ("must_not_move", "pairs")

FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
KEEP: dict[str, Callable[[str], str]] = {
    "polite before": lambda t: f"请{t}",
    "polite after": lambda t: f"{t} please",
    "please": lambda t: f"please {t}",
    "now": lambda t: f"现在{t}",
    "exclaimed": lambda t: f"{t}！",
    "full stop": lambda t: f"{t}.",
    "commas": lambda t: f"，{t}，",
    "upper": str.upper,
    "lower": str.lower,
    "full width": lambda t: t.translate(FULL_WIDTH),
    "spaced": lambda t: f"  {t.replace(' ', '   ')}  ",
    "quoted": lambda t: f"“{t}”",
    "single quotes": lambda t: f"'{t}'",
    "he said": lambda t: f"他说{t}",
    "she said": lambda t: f"she said {t}",
    "thanks": lambda t: f"{t} 谢谢",
    "said twice": lambda t: f"{t} {t}",
}
UNDO: dict[str, Callable[[str], str]] = {
    "吗": lambda t: f"{t}吗",
    "吗?": lambda t: f"{t}吗？",
    "?": lambda t: f"{t}?",
    "full-width ?": lambda t: f"{t}？",
    "不要": lambda t: f"不要{t}",
    "别": lambda t: f"别{t}",
    "don't": lambda t: f"don't {t}",
    "do not": lambda t: f"please do not {t}",
    "typographic don't": lambda t: f"don’t {t}",
    "quoted": lambda t: f"“{t}”",
    "if": lambda t: f"if it beeps {t}",
    "如果": lambda t: f"如果响了就{t}",
    "明天": lambda t: f"明天{t}",
    "他说": lambda t: f"他说{t}",
    "算了": lambda t: f"{t}，算了",
}
NOISE = ("", "!", "！！", "...", "。", " ", "，", "~", "😱", "啊", " please ", " now ", "!?")


@cache
def commands() -> tuple[str, ...]:
    """Sentences of the packs themselves that would move: every phrase of CONTROL_DEVICE, in all its sequences."""
    classes = all_classes(router().packs)
    phrases = [p for pack in router().packs for p in pack.phrases if p.intent is Intent.CONTROL_DEVICE]
    return tuple(text for phrase in phrases for text in samples(phrase, classes) if moves(text))


@cache
def no_commands() -> tuple[str, ...]:
    return tuple(line["text"] for line in lines() if line["file"].partition("/")[2] in SURE_NOT_COMMANDS)


def test_there_are_commands_to_undo() -> None:
    assert len(commands()) > 500


@pytest.mark.parametrize("how", UNDO)
def test_what_undoes_a_command(how: str) -> None:
    some = commands()[list(UNDO).index(how) % UNDONE_OF :: UNDONE_OF]
    assert [text for text in some if moves(UNDO[how](text))] == []


@pytest.mark.parametrize("how", KEEP)
def test_what_can_not_make_a_command(how: str) -> None:
    assert [text for text in no_commands() if moves(KEEP[how](text))] == []


@FEW
@given(st.data())
def test_several_changes_make_no_command_either(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(no_commands()))
    for how in data.draw(st.lists(st.sampled_from(sorted(KEEP)), max_size=4)):
        text = KEEP[how](text)
    assert not moves(text)


@pytest.mark.parametrize("word", stop_words())
@pytest.mark.parametrize("times", [1, 3])
def test_every_stop_word_alone_is_a_stop(word: str, times: int) -> None:
    for noise in NOISE:
        text = noise + (noise + " ").join([word] * times) + noise
        assert router().read(text).stop is StopSense.STOP, text


@FEW
@given(st.data())
def test_a_stop_survives_marks_repetition_case_and_noise(data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(stop_words()))
    times = data.draw(st.integers(1, 4))
    before, between, after = (data.draw(st.sampled_from(NOISE)) for _ in range(3))
    text = before + (between + " ").join([word] * times) + after
    text = data.draw(st.sampled_from([str.upper, str.lower, str.title, lambda t: t.translate(FULL_WIDTH)]))(text)
    assert router().read(text).stop is StopSense.STOP


@FEW
@given(st.text(max_size=520))
def test_any_text_gets_a_complete_reading(text: str) -> None:
    reading = router().read(text)
    assert reading.original == text
    for slot in reading.slots:
        start, end = slot.span
        assert 0 <= start < end <= len(text)
    assert disposition(reading)


PIECES = (
    "bin", "box", "station", "arm", "task", "t", "#", "no.", "number", "twelve", "first", "7", "-1", "2.5", "0", "A",
    "b", "50%", "to", "at", "in", "into", "from", "or", ":", "/", "'", "…", "t014", "arm_01", "today", "9:30", "\n",
    "号", "第", "个", "箱", "桶", "站", "工位", "任务", "机械臂", "十", "两", "速度", "和", "在", "从", "最近三天",
    "１", "②", "٣", "¼",
)  # fmt: skip


@pytest.mark.parametrize("glue", ["", " "])
def test_values_broken_off_and_run_together_are_read_too(glue: str) -> None:
    for text in map(glue.join, product(PIECES, repeat=2)):
        for slot in router().read(text).slots:
            assert slot.value, text
            assert text[slot.span[0] : slot.span[1]].strip(), text


@FEW
@given(st.text(st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"]), max_size=20))
def test_lone_surrogates_move_nothing(text: str) -> None:
    assert not moves(text)
    assert not moves(f"让机械臂回零{text}x")


@FEW
@given(st.sampled_from(commands()), st.text(st.characters(categories=["Lo", "Ll", "Nd", "So"]), min_size=1, max_size=6))
def test_a_word_that_nobody_knows_stops_a_command(text: str, word: str) -> None:
    known = router().tokens(word)
    if all(not token.known for token in known) and known:
        assert not moves(f"{text} {word}")


@FEW
@given(
    st.sampled_from(commands()),
    st.sampled_from(["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\x00", "\x1b"]),
    st.data(),
)
def test_what_can_not_be_seen_stops_a_command(text: str, char: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert not moves(text[:at] + char + text[at:])


@FEW
@given(st.data())
def test_every_slot_stands_on_what_was_written(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(commands()))
    for slot in router().read(text).slots:
        assert text[slot.span[0] : slot.span[1]].strip()
