"""Everything that is looked at, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from edge_agent.checked_file import BadFile
from edge_agent.doctor.finding import Finding, good, missing
from edge_agent.doctor.installation import packages, places, programs, python
from edge_agent.doctor.site import CHECKS, Site
from edge_agent.settings import load_settings


def examine(settings_file: Path | None, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    return (*python(), *packages(), *places(), *programs(environ), *_site(settings_file, environ))


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
