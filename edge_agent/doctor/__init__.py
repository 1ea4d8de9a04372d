"""`edge-agent doctor`: what this machine lacks, and the line to type for it. Looks only; changes nothing.

Each check is one function that yields findings, in the order in which they should be mended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from edge_agent.checked_file import BadFile
from edge_agent.doctor.finding import Finding, Verdict, good, missing, report
from edge_agent.doctor.installation import packages, places, programs, python
from edge_agent.doctor.site import CHECKS, Site
from edge_agent.settings import load_settings

__all__ = ["Finding", "Verdict", "examine", "exit_status", "report"]


def examine(settings_file: Path | None, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    return (*python(), *packages(), *places(), *programs(environ), *_site(settings_file, environ))


def exit_status(findings: tuple[Finding, ...]) -> int:
    """1 if anything is missing that the agent needs."""
    return int(any(each.verdict is Verdict.MISSING for each in findings))


def _site(settings_file: Path | None, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Without readable settings nothing is known of the site, so nothing more is said."""
    try:
        site = Site(load_settings(settings_file), environ)
    except BadFile as error:
        yield missing("settings", str(error), str(error))
        return
    yield good("settings", str(settings_file or "defaults"))
    for check in CHECKS:
        yield from check(site)
