"""The only file that imports NiceGUI: plain HTML elements that live on the server, and nothing of Quasar's look.

Every text goes through `text`, which the browser shows as text, never as markup. `drawn` takes markup of our own
making alone. A handler runs on the loop; an element is changed in place, and only what changed is sent.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeAlias, TypeVar

from nicegui import Client, app, ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

Box: TypeAlias = Element
Handler: TypeAlias = Callable[[], Awaitable[None] | None]
Said: TypeAlias = Callable[[str], Awaitable[None] | None]
T = TypeVar("T")

_SUBMIT = """(e) => {
  e.preventDefault();
  const field = e.target.elements.said;
  if (!field.value.trim()) return;
  emit(field.value);
  field.value = "";
}"""
_CHOSEN = "(e) => emit(e.target.value)"


class _Words(TextElement):
    def __init__(self, value: str, tag: str) -> None:
        super().__init__(tag=tag, text=value)


def box(tag: str = "div", classes: str = "", **attributes: object) -> Box:
    """An element; `with box(): …` puts others into it. `aria_label` is the attribute `aria-label`."""
    return dress(Element(tag), classes, **attributes)


def text(words: str, tag: str = "span", classes: str = "", **attributes: object) -> TextElement:
    made = _Words(words, tag)
    dress(made, classes, **attributes)
    return made


def dress(element: Element, classes: str = "", **attributes: object) -> Element:
    if classes:
        element.classes(replace=classes)
    for name, value in attributes.items():
        element.props[name.rstrip("_").replace("_", "-")] = value
    return element


def press(label: str, handler: Handler, classes: str = "button", **attributes: object) -> Box:
    """A button that carries its words."""
    made = box("button", classes, type="button", **attributes)
    with made:
        text(label)
    return made.on("click", handler, args=[])


def line(handler: Said, label: str, send: str, *, hint: str) -> Box:
    """A field with a button; what was typed is handed over on Enter or on the button, and the field is empty."""
    form = box("form", "line", autocomplete="off")
    with form:
        box("input", name="said", placeholder=hint, aria_label=label, data_id="said")
        with box("button", "button strong", type="submit"):
            text(send)
    return form.on("submit", lambda event: handler(str(event.args)), js_handler=_SUBMIT)


def refill(form: Box, value: str) -> None:
    """What was typed stands in the field of a `line` again, unless something else does already."""
    script = f"const f = getHtmlElement({form.id})?.elements.said; if (f && !f.value) f.value = {json.dumps(value)};"
    form.client.run_javascript(script)


def go_to(address: str) -> None:
    """The whole page is left for another address of this server."""
    ui.navigate.to(address)


def choice(handler: Said, label: str, options: dict[str, str], chosen: str, **attributes: object) -> Box:
    """A native list to choose from: value → words."""
    made = box("select", "choice", aria_label=label, **attributes)
    with made:
        for value, words in options.items():
            option = text(words, "option", value=value)
            if value == chosen:
                option.props["selected"] = True
    return made.on("change", lambda event: handler(str(event.args)), js_handler=_CHOSEN)


def drawn(markup: str, classes: str = "") -> Box:
    """Markup that this program made, from numbers and escaped words."""
    made = ui.html(markup, sanitize=False)
    made.classes(replace=classes)
    return made


class Part(Generic[T]):
    """A piece of a page that is built anew when, and only when, what it shows has changed."""

    def __init__(self, holder: Box, build: Callable[[T], object]) -> None:
        self._holder, self._build = holder, build
        self._shown: list[T] = []

    def show(self, value: T) -> bool:
        if self._shown and self._shown[0] == value:
            return False
        self._shown = [value]
        self._holder.clear()
        with self._holder:
            self._build(value)
        return True


def relabel(element: TextElement, value: str) -> None:
    if element.text != value:
        element.set_text(value)


def mark(element: Element, **attributes: object) -> None:
    """Sets attributes where they differ."""
    for name, value in attributes.items():
        key = name.rstrip("_").replace("_", "-")
        if element.props.get(key) != value:
            element.props[key] = value


def restyle(element: Element, style: str) -> None:
    element.style(replace=style)


def every(seconds: float, work: Callable[[], Any]) -> object:
    """While the page stands."""
    return ui.timer(seconds, work, immediate=False)


def here() -> Client:
    """The page that is being built."""
    return ui.context.client


__all__ = [
    "Box",
    "Client",
    "Element",
    "Handler",
    "Part",
    "TextElement",
    "app",
    "box",
    "choice",
    "drawn",
    "dress",
    "every",
    "go_to",
    "here",
    "line",
    "mark",
    "press",
    "refill",
    "relabel",
    "restyle",
    "text",
    "ui",
]
