"""One Modbus link, one owner, no second try. The only file that imports pymodbus.

Rules
  * `retries=0`, `reconnect_delay=0`: the library's defaults send an unanswered write four times more and
    reconnect on their own. `assert_pinned` refuses a client in which they are not 0.
  * One transaction at a time. Ordinary callers queue; an urgent one waits for the running transaction alone.
  * Every reply is checked against its request (type, function, transaction, unit, address, count), because the
    library takes a wrong FC16 acknowledgement, and a read reply to a write, for success.
  * Any error closes the link, so that a late reply can never become the answer to the next request. A serial line
    is then drained before the next request: it must have been silent for longer than the device's longest answer.
  * `write_once` raises `NotSent` only when no byte was handed to the operating system.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import assert_never

from pymodbus.client import AsyncModbusSerialClient, AsyncModbusTcpClient
from pymodbus.exceptions import ModbusException
from pymodbus.pdu import ExceptionResponse, ModbusPDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse, WriteMultipleRegistersResponse

from drivers.contract import DriverError, LinkLost, NotSent, WrongReply
from drivers.wire.endpoints import Endpoint, SerialEndpoint, TcpEndpoint

DRAIN_TRIES = 5
"""A serial line that is still busy after five drains has another master or is noise."""

Client = AsyncModbusTcpClient | AsyncModbusSerialClient
Ask = Callable[[Client], Awaitable[ModbusPDU]]
Check = Callable[[ModbusPDU], str | None]
"""Says what is wrong with a reply, or None."""


class ErrorReply(DriverError):
    """The device answered with a Modbus exception. For a motion write that does not prove "not executed"."""


class ModbusLink:
    """A link to `unit` at `endpoint`; closed until `open`."""

    def __init__(self, endpoint: Endpoint, *, unit: int, reply_timeout_s: float, connect_timeout_s: float) -> None:
        self._endpoint = endpoint
        self._unit = unit
        self._reply_timeout_s = reply_timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._client: Client | None = None
        self._deadline: asyncio.Timeout | None = None
        self._heard_s = 0.0
        self._queue = asyncio.Lock()
        self._bus = asyncio.Lock()
        self.generation = 0
        """Counts openings: what was learnt over an earlier one is void."""

    @property
    def is_open(self) -> bool:
        client = self._client
        return client is not None and client.connected and not client.ctx.transport.is_closing()

    async def open(self) -> None:
        """Opens the link if it is closed. Raises `LinkLost`."""
        async with self._queue, self._turn():
            await self._open()

    async def read(self, address: int, count: int) -> tuple[int, ...]:
        """FC03, once. Raises `LinkLost`, `WrongReply`, `ErrorReply`; each closes the link."""
        async with self._queue, self._turn():
            reply = await self._exchange(
                lambda client: client.read_holding_registers(address, count=count, device_id=self._unit),
                lambda pdu: _read_fault(pdu, count),
            )
            return tuple(reply.registers)

    async def write(self, address: int, words: tuple[int, ...]) -> None:
        """FC16, once. Raises as `read`."""
        async with self._queue, self._turn():
            await self._write(address, words)

    async def write_once(
        self, address: int, words: tuple[int, ...], *, wanted: Callable[[], bool] = lambda: True
    ) -> None:
        """FC16, once, for a motion. `NotSent` = no byte left; any other error = it may have been received.

        `wanted` is asked when its turn has come, with nothing to wait for after it: a stop may have gone ahead.
        """
        async with self._queue, self._turn():
            if not wanted():
                raise NotSent("called off while it waited for the wire; no byte of the command left this machine")
            if not self.is_open or not self._is_quiet():
                self.close()
                raise NotSent(f"the link to {self._endpoint} is closed; no byte of the command left this machine")
            await self._write(address, words)

    async def write_urgent(self, address: int, words: tuple[int, ...]) -> None:
        """FC16, once, ahead of every waiting caller; opens a closed link. Raises as `read`."""
        async with self._turn():
            await self._open()
            await self._write(address, words)

    def close(self) -> None:
        """Drops the link at once; idempotent."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """The bus for one transaction; on a serial line it has been silent for the gap between frames."""
        async with self._bus:
            if self._endpoint.gap_s:
                await asyncio.sleep(self._endpoint.gap_s)
            yield

    async def _open(self) -> None:
        if self.is_open:
            return
        self.close()
        client = self._pinned_client()
        assert_pinned(client)
        await self._connect(client)
        self._client = client
        self.generation += 1
        if self._endpoint.drain_s:
            await self._drain(self._endpoint.drain_s)

    def _pinned_client(self) -> Client:
        timeout_s = max(self._connect_timeout_s, self._reply_timeout_s)
        match self._endpoint:
            case TcpEndpoint(host, port):
                return AsyncModbusTcpClient(
                    host,
                    port=port,
                    timeout=timeout_s,
                    retries=0,
                    reconnect_delay=0,
                    reconnect_delay_max=0,
                    trace_connect=self._on_connection,
                )
            case SerialEndpoint(path, baudrate):
                return AsyncModbusSerialClient(
                    path,
                    baudrate=baudrate,
                    timeout=timeout_s,
                    retries=0,
                    reconnect_delay=0,
                    reconnect_delay_max=0,
                    trace_connect=self._on_connection,
                    trace_packet=self._on_packet,
                )
            case _:
                assert_never(self._endpoint)

    async def _drain(self, drain_s: float) -> None:
        """Throws away what still comes until the line was silent for `drain_s`. Raises `LinkLost` if it never is."""
        loop = asyncio.get_running_loop()
        self._heard_s = loop.time()
        give_up_s = self._heard_s + DRAIN_TRIES * drain_s
        while (left_s := self._heard_s + drain_s - loop.time()) > 0:
            if loop.time() > give_up_s:
                self.close()
                raise LinkLost(f"{self._endpoint}: the line does not fall silent; another master, or noise?")
            await asyncio.sleep(left_s)

    async def _connect(self, client: Client) -> None:
        connected = False
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                connected = await client.connect()
        except TimeoutError:
            pass
        finally:
            if not connected:
                client.close()
        if not connected:
            raise LinkLost(f"no link to {self._endpoint} within {self._connect_timeout_s} s")

    async def _write(self, address: int, words: tuple[int, ...]) -> None:
        await self._exchange(
            lambda client: client.write_registers(address, list(words), device_id=self._unit),
            lambda pdu: _write_fault(pdu, address, len(words)),
        )

    async def _exchange(self, ask: Ask, check: Check) -> ModbusPDU:
        client = self._client
        if client is None or not self.is_open:
            self.close()
            raise LinkLost(f"the link to {self._endpoint} is closed")
        answered = False
        try:
            reply = await self._ask(client, ask)
            self._judge(client, reply, check)
            answered = True
            return reply
        finally:
            if not answered:  # also when cancelled: the late reply must find no link
                self.close()

    async def _ask(self, client: Client, ask: Ask) -> ModbusPDU:
        try:
            async with asyncio.timeout(self._reply_timeout_s) as self._deadline:
                return await ask(client)
        except TimeoutError:
            lost = (
                f"no answer within {self._reply_timeout_s} s" if client.connected else "the other end closed the link"
            )
            raise LinkLost(f"{self._endpoint}: {lost}") from None
        except ModbusException as error:
            raise LinkLost(f"{self._endpoint}: {error}") from error
        finally:
            self._deadline = None

    def _judge(self, client: Client, reply: ModbusPDU, check: Check) -> None:
        asked, unit = client.ctx.request_transaction_id, self._unit
        if reply.transaction_id != asked:
            raise WrongReply(f"asked in transaction {asked}, answered in {reply.transaction_id}")
        if reply.dev_id != unit:
            raise WrongReply(f"asked unit {unit}, unit {reply.dev_id} answered")
        if isinstance(reply, ExceptionResponse) or reply.isError():
            raise ErrorReply(f"{self._endpoint} answered with exception {reply.exception_code}")
        if (fault := check(reply)) is not None:
            raise WrongReply(fault)

    def _is_quiet(self) -> bool:
        """Nothing waits to be read: no end of stream and no stray reply stand before a motion write."""
        assert self._client is not None
        transport = self._client.ctx.transport
        wire = transport.get_extra_info("socket") or transport.sync_serial  # type: ignore[attr-defined]
        poller = select.poll()
        poller.register(wire.fileno(), select.POLLIN | select.POLLRDHUP)
        return not poller.poll(0)

    def _on_connection(self, connected: bool) -> None:
        """Vendor callback: a lost connection ends the running transaction now, not at its deadline."""
        if not connected and self._deadline is not None:
            self._deadline.reschedule(asyncio.get_running_loop().time())

    def _on_packet(self, sending: bool, data: bytes) -> bytes:
        """Vendor callback: when the serial line was last heard."""
        if not sending:
            self._heard_s = asyncio.get_running_loop().time()
        return data


def assert_pinned(client: Client) -> None:
    """Raises `DriverError` unless the library will neither repeat a request nor reconnect by itself."""
    if client.ctx.retries != 0 or client.ctx.comm_params.reconnect_delay != 0:
        raise DriverError(
            f"pymodbus would repeat or reconnect (retries={client.ctx.retries}, "
            f"reconnect_delay={client.ctx.comm_params.reconnect_delay}): not armed"
        )


def _read_fault(pdu: ModbusPDU, count: int) -> str | None:
    if not isinstance(pdu, ReadHoldingRegistersResponse):
        return f"asked for registers, got function {pdu.function_code}"
    if len(pdu.registers) != count:
        return f"asked for {count} registers, got {len(pdu.registers)}"
    return None


def _write_fault(pdu: ModbusPDU, address: int, count: int) -> str | None:
    if not isinstance(pdu, WriteMultipleRegistersResponse):
        return f"wrote registers, got function {pdu.function_code}"
    if (pdu.address, pdu.count) != (address, count):
        return f"wrote {count} registers at {address}, acknowledged {pdu.count} at {pdu.address}"
    return None
