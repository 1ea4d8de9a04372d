"""Who is logged in, for how long, and how often one may be wrong."""

from __future__ import annotations

from edge_agent.hmi.login_page import login_page
from edge_agent.hmi.logins import IDLE_S, MAX_LOGINS, MAX_TRIES, TRIES_WITHIN_S, Logins
from edge_agent.hmi.texts import words


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_token_is_one_login_until_it_is_closed() -> None:
    logins = Logins(Clock())
    token = logins.put("op1", "secret", "zh")
    login = logins.get(token)
    assert login is not None
    assert login.user == "op1"
    assert "secret" not in repr(login)
    logins.close(token)
    assert logins.get(token) is None
    assert logins.get(None) is None
    assert logins.get("guessed") is None


def test_a_login_that_nobody_used_for_long_is_over() -> None:
    clock = Clock()
    logins = Logins(clock)
    token = logins.put("op1", "secret", "zh")
    clock.now_s = IDLE_S
    assert logins.get(token) is not None
    clock.now_s = 2 * IDLE_S + 1
    assert logins.get(token) is None


def test_a_page_left_open_overnight_asks_for_the_password_before_it_does_anything() -> None:
    clock = Clock()
    logins = Logins(clock)
    token = logins.put("op1", "secret", "zh")
    login = logins.get(token)
    assert login is not None
    clock.now_s = IDLE_S
    assert logins.touch(login), "somebody worked with it, and the time begins anew"
    clock.now_s = 2 * IDLE_S + 1
    assert not logins.touch(login)
    assert not login.closed, "its page stays, and its stop button with it"


def test_a_login_that_was_closed_is_over_on_every_page_of_it() -> None:
    logins = Logins(Clock())
    token = logins.put("op1", "secret", "zh")
    login = logins.get(token)
    assert login is not None
    logins.close(token)
    assert login.closed
    assert not logins.touch(login)


def test_the_one_used_least_makes_room() -> None:
    logins = Logins(Clock())
    tokens = [logins.put("op1", "secret", "zh") for _ in range(MAX_LOGINS)]
    assert logins.get(tokens[0]) is not None
    logins.put("op1", "secret", "zh")
    assert logins.get(tokens[0]) is not None
    assert logins.get(tokens[1]) is None


def test_wrong_passwords_are_limited_for_each_address() -> None:
    clock = Clock()
    logins = Logins(clock)
    for _ in range(MAX_TRIES):
        assert logins.wait_s("10.0.0.1") == 0.0
        logins.wrong("10.0.0.1")
    assert logins.wait_s("10.0.0.1") == TRIES_WITHIN_S
    assert logins.wait_s("10.0.0.2") == 0.0
    clock.now_s = TRIES_WITHIN_S
    assert logins.wait_s("10.0.0.1") == 0.0


def test_what_was_typed_comes_back_as_text() -> None:
    page = login_page(words("en"), "cell<01>", user='"><script>', problem="<b>")
    assert "<script>" not in page
    assert "<b>" not in page
    assert "cell&lt;01&gt;" in page
