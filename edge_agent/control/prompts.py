"""The one open confirmation of a cell, and the last few closed ones so that a second answer is told why."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from edge_agent.safety.confirm import Answer, Confirmed, Prompt, PromptRejection, check

REMEMBERED = 64
"""Closed prompts kept to tell `prompt_used` from `prompt_wrong`; older ones are simply unknown."""


class PromptBook:
    def __init__(self) -> None:
        self._open: Prompt | None = None
        self._closed: deque[Prompt] = deque(maxlen=REMEMBERED)

    @property
    def open(self) -> Prompt | None:
        return self._open

    def put(self, prompt: Prompt) -> None:
        """A new question closes the one before it: nobody can answer what is no longer shown."""
        self.void("replaced")
        self._open = prompt

    def void(self, why: str) -> None:
        if self._open is not None:
            self._close(replace(self._open, void=why))

    def withdraw(self, prompt_id: str, user: str) -> bool:
        """Closed by its own user's no; False when it is not this user's open prompt."""
        prompt = self._open
        if prompt is None or prompt.prompt_id != prompt_id or prompt.user != user:
            return False
        self._close(replace(prompt, used=True))
        return True

    def expired(self, now_s: float) -> Prompt | None:
        """The open prompt, closed, if its time is over."""
        prompt = self._open
        if prompt is None or now_s < prompt.expires_at_s:
            return None
        self._close(prompt)
        return prompt

    def answer(self, answer: Answer, now_s: float) -> Confirmed | PromptRejection:
        """Uses the prompt up when, and only when, the answer holds."""
        prompt = self._find(answer.prompt_id)
        verdict = check(prompt, answer, now_s)
        if isinstance(verdict, Confirmed) and prompt is not None:
            self._close(replace(prompt, used=True))
        return verdict

    def _find(self, prompt_id: str) -> Prompt | None:
        if self._open is not None and self._open.prompt_id == prompt_id:
            return self._open
        return next((p for p in self._closed if p.prompt_id == prompt_id), None)

    def _close(self, prompt: Prompt) -> None:
        self._closed.append(prompt)
        self._open = None
