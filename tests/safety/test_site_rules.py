"""A site's rule refuses what fits all of its lists, and only that."""

from __future__ import annotations

import pytest

from edge_agent.safety.site_rules import SiteRule, blocking

SAID = {"item_type": "glass", "bin": "3", "station": "A"}
ANY = SiteRule("any", "", "")
GLASS = SiteRule("glass", "", "", items=frozenset({"glass", "metal"}))
STUDENT_PICKS = SiteRule("student", "", "", actions=frozenset({"pick"}), roles=frozenset({"student"}))


@pytest.mark.parametrize(
    ("rule", "role", "action", "said", "fits"),
    [
        (ANY, "viewer", "home", {}, True),
        (GLASS, "student", "pick", SAID, True),
        (GLASS, "student", "home", {}, False),
        (GLASS, "student", "pick", {"item_type": "paper"}, False),
        (STUDENT_PICKS, "student", "pick", SAID, True),
        (STUDENT_PICKS, "operator", "pick", SAID, False),
        (STUDENT_PICKS, "student", "place", SAID, False),
        (SiteRule("bin", "", "", bins=frozenset({"3"})), "viewer", "place", SAID, True),
        (SiteRule("bin", "", "", bins=frozenset({"4"})), "viewer", "place", SAID, False),
        (SiteRule("station", "", "", stations=frozenset({"A"})), "viewer", "move", SAID, True),
        (SiteRule("station", "", "", stations=frozenset({"B"})), "viewer", "move", SAID, False),
    ],
)
def test_fits(rule: SiteRule, role: str, action: str, said: dict[str, str], fits: bool) -> None:
    assert rule.fits(role, action, said) is fits


def test_the_first_that_refuses_is_told() -> None:
    assert blocking((STUDENT_PICKS, GLASS, ANY), "operator", "pick", SAID) is GLASS
    assert blocking((STUDENT_PICKS,), "operator", "pick", SAID) is None
    assert blocking((), "operator", "pick", SAID) is None
