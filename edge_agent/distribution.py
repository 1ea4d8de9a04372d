"""Do the three packages that run here come from one distribution of ours?

PyPI's `edge-agent` and `drivers` are other people's and install top-level packages of these names, into the same
folders: one wrong `pip install` and half of this program is somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

NAME: Final = "sorting-edge-agent"
PACKAGES: Final = ("edge_agent", "drivers", "offline_rules")


@dataclass(frozen=True, slots=True)
class Foreign:
    """`package` comes (also) from `source`: another distribution's name, or a folder that is not ours."""

    package: str
    source: str


def foreign_packages() -> tuple[Foreign, ...]:
    """Empty when all is well. One entry for each package and stranger."""
    claims = packages_distributions()
    places = {name: _folder_of(name) for name in PACKAGES}
    return tuple(judged(places, claims, own_root()))


def judged(
    places: Mapping[str, Path | None], claims: Mapping[str, Sequence[str]], root: Path | None
) -> Iterator[Foreign]:
    """`places`: where each package was found; `claims`: who says it installed it; `root`: where ours lies."""
    for package, folder in places.items():
        if folder is None:
            yield Foreign(package, "nowhere: not installed")
        elif root is None:
            yield Foreign(package, f"{folder}: {NAME} is not installed")
        elif folder.parent != root:
            yield Foreign(package, str(folder))
        yield from (Foreign(package, other) for other in sorted({*claims.get(package, ())} - {NAME}))


def own_root() -> Path | None:
    """The folder that holds our packages: the checkout, or site-packages; None where we are not installed."""
    try:
        ours = distribution(NAME)
    except PackageNotFoundError:
        return None
    return _editable_root(ours) or Path(str(ours.locate_file(""))).resolve()


def _editable_root(ours: Distribution) -> Path | None:
    origin = json.loads(ours.read_text("direct_url.json") or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(origin["url"]).path)).resolve()


def _folder_of(package: str) -> Path | None:
    spec = find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).resolve().parent
