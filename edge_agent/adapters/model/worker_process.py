"""One model process: started, asked one thing at a time, ended by SIGKILL."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TypeVar

from edge_agent.adapters.model import wire

STDERR_KEPT_BYTES = 2_048
WRONG_PROCESSOR = frozenset({-signal.SIGILL, -signal.SIGSEGV})
"""How a library ends that was compiled for another one."""
END_WAIT_S = 5.0
"""A killed process is gone in milliseconds; longer means the machine is stuck, and then nobody waits for it."""

R = TypeVar("R", bound=wire.Reply)


class WorkerDied(Exception):
    """It ended, or answered with what is no reply. The text says how, for the journal."""


def default_command() -> tuple[str, ...]:
    return (sys.executable, "-m", "edge_agent.adapters.model.worker", str(os.getpid()))


class WorkerProcess:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tail = b""
        self._drain = asyncio.create_task(self._keep_tail())

    @classmethod
    async def start(cls, command: Sequence[str]) -> WorkerProcess:
        """From the main thread only: the child dies with the *thread* that started it."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("the model process must be started from the main thread")
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=wire.MAX_LINE_BYTES,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> bool:
        return self._process.returncode is not None

    async def ask(self, request: Mapping[str, object], kind: type[R], *, deadline_s: float) -> R | wire.Failed:
        """The reply within `deadline_s`, else `TimeoutError`; whoever gets that must end the process."""
        async with asyncio.timeout(deadline_s):
            return wire.decode(await self._exchange(wire.encode(request)), kind)

    async def _exchange(self, line: bytes) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise WorkerDied("its pipes are gone")
        try:
            stdin.write(line)
            await stdin.drain()
            reply = await stdout.readline()
        except (ConnectionError, ValueError) as error:
            raise WorkerDied(f"its pipe broke ({type(error).__name__})") from error
        if not reply.endswith(b"\n"):
            raise WorkerDied(await self._how_it_ended())
        return reply

    async def wait_ended(self) -> None:
        await self._process.wait()

    async def kill(self) -> None:
        """Returns when it is gone."""
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_WAIT_S):
                await self._process.wait()
                await self._drain
        self._drain.cancel()

    async def _how_it_ended(self) -> str:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_WAIT_S):
                await self._process.wait()
        code = self._process.returncode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        last = self._tail.decode("utf-8", "replace").strip().splitlines()[-1:]
        hint = "; compiled for another processor? `edge-agent doctor` tries it" if code in WRONG_PROCESSOR else ""
        return f"the model process ended ({how}{hint}){': ' + last[0][:200] if last else ''}"

    async def _keep_tail(self) -> None:
        stderr = self._process.stderr
        while stderr is not None and (chunk := await stderr.read(STDERR_KEPT_BYTES)):
            self._tail = (self._tail + chunk)[-STDERR_KEPT_BYTES:]
