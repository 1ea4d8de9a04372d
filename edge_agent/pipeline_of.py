"""One agent's pipeline: every stage, given the parts it needs."""

from __future__ import annotations

from collections.abc import Callable

from edge_agent.adapters.log import log
from edge_agent.control.supervisor import Supervisor
from edge_agent.desk.alarms import AlarmBoard
from edge_agent.desk.intake import Intake
from edge_agent.desk.open_runs import OpenRuns
from edge_agent.desk.sessions import Sessions
from edge_agent.desk.speaker import page_of
from edge_agent.desk.stream import Publisher
from edge_agent.diagnose.diagnosis import Site
from edge_agent.diagnose.wording import load_wording
from edge_agent.parts import Knobs, Parts
from edge_agent.pipeline import Pipeline
from edge_agent.release.texts import LANGS
from edge_agent.stages.advising import advice_from, no_advice
from edge_agent.stages.asking_back import AskingBack
from edge_agent.stages.closing import Closing
from edge_agent.stages.diagnosing import Diagnosing
from edge_agent.stages.hearing import Hearing
from edge_agent.stages.moving import Moving
from edge_agent.stages.opening import About, Deadlines, Opening
from edge_agent.stages.serving import Serving
from edge_agent.stages.telling import Telling
from edge_agent.tools.ports import StoreError
from offline_rules.reading import Reading

_log = log("pipeline")


def pipeline_of(
    parts: Parts,
    knobs: Knobs,
    *,
    read: Callable[[str], Reading],
    publisher: Publisher,
    supervisor: Supervisor,
    intake: Intake,
    runs: OpenRuns,
    sessions: Sessions,
    alarms: AlarmBoard,
) -> Pipeline:
    """`read` is the parts' own reading, kept for a while; the rest is what the agent keeps between two requests."""
    spec, journal, clock = parts.spec, parts.journal, parts.clock
    opening = _opening(parts, knobs, publisher)
    asking_back = AskingBack(read, journal, parts.new_id, clock.monotonic_s)
    moving = Moving(
        spec=spec,
        supervisor=supervisor,
        intake=intake,
        journal=journal,
        new_prompt_id=parts.new_id,
        monotonic_s=clock.monotonic_s,
        now=clock.now,
        prompt_s=knobs.prompt_s,
        rule_bin=parts.rule_bin,
        ready=parts.ready,
        rules=parts.rules,
        advice=no_advice if parts.pages is None else advice_from(parts.pages, _unread),
    )
    diagnosing = Diagnosing(
        _diagnosis_site(parts, knobs), clock.now, clock.monotonic_s, style=parts.style, fires=parts.fires
    )

    def real_driver() -> bool:
        identity = supervisor.view.identity
        return identity is None or identity.is_real

    return Pipeline(
        hearing=Hearing(read, parts.model, journal, knobs.thresholds, knobs.model_times, fires=parts.fires),
        asking_back=asking_back,
        moving=moving,
        telling=Telling(parts.boundary, parts.copy, _only_device(parts)),
        serving=Serving(
            moving=moving,
            asking_back=asking_back,
            sessions=sessions,
            journal=journal,
            spec=spec,
            faults=parts.faults,
            alarms=alarms,
            real_driver=real_driver,
            now=clock.now,
        ),
        diagnose=diagnosing.diagnose,
        journal=journal,
        runs=runs,
        opening=opening,
        closing=Closing(opening, supervisor.journal_fault),
    )


def _opening(parts: Parts, knobs: Knobs, publisher: Publisher) -> Opening:
    def model_name() -> str | None:
        return None if parts.model.usable() is not None else parts.versions.get("model")

    return Opening(
        journal=parts.journal,
        publisher=publisher,
        page=lambda speaker: page_of(speaker, parts.spec),
        deadlines=Deadlines(knobs.run_s, parts.spec.limits.max_duration_ms / 1000 + knobs.motion_margin_s),
        limits=lambda: knobs.budget,
        about=About(parts.versions["agent"], parts.versions["rules"], model_name),
        monotonic_s=parts.clock.monotonic_s,
        now=parts.clock.now,
        entropy=parts.entropy,
    )


def _diagnosis_site(parts: Parts, knobs: Knobs) -> Site:
    return Site(
        boundary=parts.boundary,
        journal=parts.journal,
        model=parts.model,
        table=parts.causes,
        wording={lang: load_wording(lang) for lang in LANGS},
        only_device=_only_device(parts),
        times=knobs.model_times,
        guards=parts.guards,
    )


def _only_device(parts: Parts) -> str | None:
    only = parts.spec.device(None)
    return None if only is None else only.name


def _unread(fault: StoreError) -> None:
    _log.warning("advice_page_not_read", why=str(fault), instead="the refusal was told without the site's steps")
