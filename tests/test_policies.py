"""A policy folder: what it may say, and how a broken one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.checked_file import BadFile
from edge_agent.diagnose.cause_table import CAUSES_FILE
from edge_agent.places import Place, packaged
from edge_agent.policies import Policies, load_policies
from edge_agent.run.retry import RetryPolicy
from edge_agent.safety.site_rules import SiteRule, blocking
from edge_agent.tools.tool import CONTROL_TOOLS
from edge_agent.understand.thresholds import Thresholds

STOCK = packaged(Place.LAB, "data", "policy")


def folder(at: Path, **files: str) -> Path:
    for name, text in files.items():
        (at / f"{name}.toml").write_text(text, "utf-8")
    return at


def test_the_shipped_folder_says_what_the_product_does() -> None:
    told = load_policies(STOCK)
    assert (told.retry, told.thresholds) == (RetryPolicy(), Thresholds())
    assert (told.rules, told.causes, dict(told.retries)) == ((), None, {})
    assert "retry.toml default max_attempts" in told.reasons


def test_an_empty_folder_leaves_everything_as_it_is(tmp_path: Path) -> None:
    assert load_policies(tmp_path) == Policies()


BROKEN = [
    ("retry", "[default]\nmax_attempts = 0", "default.max_attempts"),
    ("retry", "[default]\nmax_attempts = -1", "default.max_attempts"),
    ("retry", "[default]\nmax_attempts = 1000000000", "default.max_attempts"),
    ("retry", "[default]\nmax_attempts = nan", "default.max_attempts"),
    ("retry", "[default]\nbase_delay_s = nan", "default.base_delay_s"),
    ("retry", "[default]\njitter_s = inf", "default.jitter_s"),
    ("retry", '[default]\nmax_attempts = "3"', "default.max_attempts"),
    ("retry", '[default]\nbackoff = "random"', "default.backoff"),
    ("retry", "[default]\ntries = 3", "default.tries"),
    ("retry", "[tool.nobody]\nmax_attempts = 2", "tool.nobody"),
    ("codes", 'retryable = ["INPUT_INVALID"]', "retryable"),
    ("thresholds", "min_margin = 1.5", "min_margin"),
    ("refusals", "[[rule]]\nid = 'x1'\nzh = 'a'", "rule"),
    ("refusals", "[[rule]]\nid='x1'\nzh='a'\nen='a'\n[[rule]]\nid='x1'\nzh='a'\nen='a'", "rule.id"),
    ("causes", "[[cause]]\nid = 'ghost'", "tools"),
    ("retry", "[default", "TOML"),
]


@pytest.mark.parametrize(("name", "text", "key"), BROKEN)
def test_a_broken_file_is_told_by_file_key_and_reason(tmp_path: Path, name: str, text: str, key: str) -> None:
    with pytest.raises(BadFile) as broken:
        load_policies(folder(tmp_path, **{name: text}))
    assert f"{name}.toml" in broken.value.file
    assert broken.value.faults[0].key.startswith(key)
    assert broken.value.faults[0].english
    assert broken.value.faults[0].chinese


@pytest.mark.parametrize("tool", sorted(CONTROL_TOOLS))
def test_no_policy_can_have_a_motion_tried_again(tmp_path: Path, tool: str) -> None:
    with pytest.raises(BadFile, match="sent once"):
        load_policies(folder(tmp_path, retry=f"[tool.{tool}]\nmax_attempts = 2"))


def test_a_tools_own_policy_keeps_what_it_does_not_say(tmp_path: Path) -> None:
    told = load_policies(
        folder(
            tmp_path,
            retry="[default]\nmax_attempts = 4\n[tool.sorting_rules]\njitter_s = 0.0",
            codes='retryable = ["TIMEOUT"]',
        )
    )
    own = told.retry_of("sorting_rules")
    assert (own.max_attempts, own.jitter_s, own.retryable_error_codes) == (4, 0.0, frozenset({"TIMEOUT"}))
    assert told.retry_of("arm_status") == told.retry


def test_phrases_and_causes_are_taken_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "causes.toml").write_text(CAUSES_FILE.read_text("utf-8"), "utf-8")
    (tmp_path / "phrases").mkdir()
    told = load_policies(tmp_path)
    assert told.packs == (tmp_path / "phrases",)
    assert told.causes is not None


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="folder"):
        load_policies(tmp_path / "no")


RULE = SiteRule("r1", "", "", actions=frozenset({"pick"}), items=frozenset({"glass"}), roles=frozenset({"student"}))


@pytest.mark.parametrize(
    ("role", "action", "said", "blocked"),
    [
        ("student", "pick", {"item_type": "glass"}, True),
        ("operator", "pick", {"item_type": "glass"}, False),
        ("student", "home", {"item_type": "glass"}, False),
        ("student", "pick", {"item_type": "metal"}, False),
        ("student", "pick", {}, False),
    ],
)
def test_a_rule_refuses_what_fits_all_of_it(role: str, action: str, said: dict[str, str], blocked: bool) -> None:
    assert (blocking([RULE], role, action, said) is RULE) is blocked


def test_a_rule_without_lists_refuses_every_motion() -> None:
    assert blocking([SiteRule("r1", "", "")], "operator", "home", {}) is not None
