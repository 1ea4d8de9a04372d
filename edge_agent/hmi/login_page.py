"""The page before the page: plain HTML, so that it is there at once and needs no script. Pure text."""

from __future__ import annotations

from html import escape

from edge_agent.hmi.texts import Words
from edge_agent.messages.codes import Lang

_PAGE = """<!doctype html>
<html lang="{html_lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="static/icon.svg">
<link rel="stylesheet" href="static/hmi.css">
</head>
<body class="at-login">
<main class="login">
<h1>{title}</h1>
<p class="lead">{lead}</p>
{problem}
<form method="post" action="login">
<input type="hidden" name="lang" value="{lang}">
<label>{user_label}
<input name="user" value="{user}" required maxlength="32" autocomplete="username" autofocus></label>
<label>{password_label}
<input name="password" type="password" required maxlength="128" autocomplete="current-password"></label>
<button class="button strong large" type="submit">{enter}</button>
</form>
<p class="note">{stop}</p>
<a href="login?lang={other}" lang="{other}">{language}</a>
</main>
</body>
</html>
"""


def login_page(words: Words, cell: str, *, user: str = "", problem: str = "") -> str:
    """Everything filled in is escaped: a name that was typed comes back as text."""
    say = words.say
    other: Lang = "en" if words.lang == "zh" else "zh"
    facts = {
        "html_lang": "zh-CN" if words.lang == "zh" else "en",
        "title": say("page.title", cell=cell),
        "lead": say("login.lead"),
        "user_label": say("login.user"),
        "password_label": say("login.password"),
        "enter": say("login.enter"),
        "stop": say("login.stop"),
        "language": say("page.language"),
        "lang": words.lang,
        "other": other,
        "user": user,
    }
    told = f'<p class="strip bad" role="alert">{escape(problem)}</p>' if problem else ""
    return _PAGE.format(problem=told, **{name: escape(value) for name, value in facts.items()})
