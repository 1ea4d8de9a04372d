"""What a group reads at its terminal: the story, what was foretold and what came, what is still to be done. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from edge_agent.cases.line import CaseLine
from edge_agent.cases.report.result import Result
from edge_agent.cases.report.svg import LANE_NAMES
from edge_agent.cases.verdict import Verdict
from edge_agent.lab.checking import Checked
from edge_agent.lab.exercise import CASES, POLICY
from edge_agent.lab.predictions import Prediction
from edge_agent.lab.workbook import ANSWERS, DEFAULT_FOLDER, Workbook
from edge_agent.messages.codes import Lang

WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "zh": {
        "predict": "先预测：为 {cases} 的每条案例填写 {answers}（标签见 lab doc labels），再运行一次",
        "look": "不预测直接看：加 --look",
        "handed_out": "发给你的文件夹",
        "said": "应当",
        "came": "实际",
        "foretold": "预测",
        "right": "对",
        "wrong": "不符",
        "blank": "还没有填写预测",
        "frames": "动作帧",
        "differs": "不同",
        "expected": "应为",
        "seen": "看到",
        "coverage": "覆盖率",
        "misfired": "误动作",
        "before": "修改前",
        "after": "修改后",
        "more": "要改的文件在 {policy}；改完运行：edge-agent lab check {id}{where}",
        "done": "完成。交作业的页面：edge-agent lab report{where}",
        "not_yet": "还没完成：修改策略或答案，再检查一次。",
    },
    "en": {
        "predict": "Predict: fill in {answers} for each case of {cases}, then run once more (labels: lab doc labels)",
        "look": "to look without a prediction: --look",
        "handed_out": "handed out to you in",
        "said": "should be",
        "came": "came",
        "foretold": "predicted",
        "right": "right",
        "wrong": "otherwise",
        "blank": "no prediction yet",
        "frames": "motion frames",
        "differs": "differs",
        "expected": "expected",
        "seen": "seen",
        "coverage": "coverage",
        "misfired": "mis-actuation",
        "before": "before",
        "after": "after",
        "more": "the files to repair are in {policy}; then: edge-agent lab check {id}{where}",
        "done": "Done. The page to hand in: edge-agent lab report{where}",
        "not_yet": "Not yet: change the policy or the answers, and check again.",
    },
}


def story(book: Workbook, lang: Lang) -> Iterator[str]:
    told, words = book.exercise.told(lang), WORDS[lang]
    yield f"{told.title}  ({words['handed_out']} {book.folder})"
    yield from (told.story, told.question, *(f"  {number}. {step}" for number, step in enumerate(told.steps, start=1)))


def asks_for_a_prediction(book: Workbook, lang: Lang) -> Iterator[str]:
    """The cases, and where to write down what will come of them."""
    for placed in book.lines():
        put_in = ", ".join(_put_in(placed.line)) if isinstance(placed.line, CaseLine) else ""
        yield f"  {placed.id}: {placed.line.text}{f'  [{put_in}]' if put_in else ''}"
    words = WORDS[lang]
    yield words["predict"].format(answers=book.folder / ANSWERS, cases=CASES)
    yield words["look"]


def _put_in(line: CaseLine) -> Iterator[str]:
    yield from line.faults
    yield from (str(result.error.code) if result.error is not None else "ok" for result in line.all_results())
    yield from ([] if line.llm_available else ["model.down"])
    yield from ([] if line.role == "operator" else [line.role])


def came(book: Workbook, result: Result, foretold: Sequence[Prediction], lang: Lang) -> Iterator[str]:
    """Each case with its evidence, and what was foretold of it."""
    words, lanes, said = WORDS[lang], LANE_NAMES[lang], {each.id: each for each in foretold}
    for verdict in result.cases:
        yield ""
        yield f"{verdict.id}: {verdict.text}"
        yield from _of_one(verdict, words)
        if (one := said.get(verdict.id)) is not None and not one.blank:
            yield f"    {words['foretold']} {one.said}: {words['wrong' if one.wrong else 'right']}"
        yield from (
            f"    {each.at_ms:>5} ms  {lanes.get(each.lane, each.lane):<10} {each.what}" for each in verdict.timeline
        )
    yield ""
    yield _figures(words, result)
    yield words["more"].format(policy=book.folder / POLICY, id=book.exercise.id, where=_where(book))


def checked(book: Workbook, done: Checked, lang: Lang) -> Iterator[str]:
    words = WORDS[lang]
    for name, result in ((words["before"], done.before), (words["after"], done.after)):
        yield f"{name}: {_figures(words, result)}"
    for verdict in (v for v in done.after.cases if not v.passed):
        yield f"  {verdict.id}:"
        yield from _of_one(verdict, words)
    for each in (p for p in done.predictions if p.wrong):
        told = words["blank"] if each.blank else f"{each.said}; {words['came']} {each.came} ({', '.join(each.wrong)})"
        yield f"  {ANSWERS} [{each.id}] {told}"
    yield from (f"  {text}" for text in done.missing)
    yield words["done"].format(where=_where(book)) if done.passed else words["not_yet"]


def _where(book: Workbook) -> str:
    """What to add to a command for a folder that is not the usual one."""
    base = book.folder.parent
    return "" if base == DEFAULT_FOLDER else f" --folder {base}"


def _of_one(verdict: Verdict, words: Mapping[str, str]) -> Iterator[str]:
    codes = ", ".join(verdict.codes) or "-"
    yield f"    {words['said']} {verdict.expected}; {words['came']} {verdict.observed}"
    yield f"    {codes}; {words['frames']} {verdict.frames}"
    for each in verdict.differs:
        yield f"    {words['differs']} {each.name}: {words['expected']} {each.expected}, {words['seen']} {each.seen}"


def _figures(words: Mapping[str, str], result: Result) -> str:
    total = result.total
    share = f"{total.coverage * 100:.0f} % ({total.as_expected}/{total.lines})"
    return f"{words['coverage']} {share}, {words['misfired']} {total.misfired}"
