"""One Modbus link, one owner, no second try. The only file that imports pymodbus.

Rules
  * `retries=0`, `reconnect_delay=0`: the library's defaults send an unanswered write four times more and
    reconnect on their own. `assert_pinned` refuses a client in which they are not 0.
  * One transaction at a time. Ordinary callers queue; an urgent one waits for the running transaction alone.
  * Every reply is checked against its request (type, function, transaction, unit, address, count), because the
    library takes a wrong FC16 acknowledgement, and a read reply to a write, for success.
  * Any error closes the link, so that a late reply can never become the answer to the next request.
  * `write_once` raises `NotSent` only when no byte was handed to the operating system.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pymodbus.client import AsyncModbusTcpClient
from pymodbus.exceptions import ModbusException
from pymodbus.pdu import ExceptionResponse, ModbusPDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse, WriteMultipleRegistersResponse

from drivers.contract import DriverError, LinkLost, NotSent, WrongReply

Ask = Callable[[AsyncModbusTcpClient], Awaitable[ModbusPDU]]
Check = Callable[[ModbusPDU], str | None]
"""Says what is wrong with a reply, or None."""


class ErrorReply(DriverError):
    """The device answered with a Modbus exception. For a motion write that does not prove "not executed"."""


@dataclass(frozen=True, slots=True)
class TcpEndpoint:
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class ModbusLink:
    """A link to `unit` at `endpoint`; closed until `open`."""

    def __init__(self, endpoint: TcpEndpoint, *, unit: int, reply_timeout_s: float, connect_timeout_s: float) -> None:
        self._endpoint = endpoint
        self._unit = unit
        self._reply_timeout_s = reply_timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._client: AsyncModbusTcpClient | None = None
        self._deadline: asyncio.Timeout | None = None
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
        async with self._queue, self._bus:
            await self._open()

    async def read(self, address: int, count: int) -> tuple[int, ...]:
        """FC03, once. Raises `LinkLost`, `WrongReply`, `ErrorReply`; each closes the link."""
        async with self._queue, self._bus:
            reply = await self._exchange(
                lambda client: client.read_holding_registers(address, count=count, device_id=self._unit),
                lambda pdu: _read_fault(pdu, count),
            )
            return tuple(reply.registers)

    async def write(self, address: int, words: tuple[int, ...]) -> None:
        """FC16, once. Raises as `read`."""
        async with self._queue, self._bus:
            await self._write(address, words)

    async def write_once(self, address: int, words: tuple[int, ...]) -> None:
        """FC16, once, for a motion. `NotSent` = no byte left; any other error = it may have been received."""
        async with self._queue, self._bus:
            if not self.is_open or not self._is_quiet():
                self.close()
                raise NotSent(f"the link to {self._endpoint} is closed; no byte of the command left this machine")
            await self._write(address, words)

    async def write_urgent(self, address: int, words: tuple[int, ...]) -> None:
        """FC16, once, ahead of every waiting caller; opens a closed link. Raises as `read`."""
        async with self._bus:
            await self._open()
            await self._write(address, words)

    def close(self) -> None:
        """Drops the link at once; idempotent."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def _open(self) -> None:
        if self.is_open:
            return
        self.close()
        client = AsyncModbusTcpClient(
            self._endpoint.host,
            port=self._endpoint.port,
            timeout=max(self._connect_timeout_s, self._reply_timeout_s),
            retries=0,
            reconnect_delay=0,
            reconnect_delay_max=0,
            trace_connect=self._on_connection,
        )
        assert_pinned(client)
        await self._connect(client)
        self._client = client
        self.generation += 1

    async def _connect(self, client: AsyncModbusTcpClient) -> None:
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

    async def _ask(self, client: AsyncModbusTcpClient, ask: Ask) -> ModbusPDU:
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

    def _judge(self, client: AsyncModbusTcpClient, reply: ModbusPDU, check: Check) -> None:
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
        socket = self._client.ctx.transport.get_extra_info("socket")
        poller = select.poll()
        poller.register(socket.fileno(), select.POLLIN | select.POLLRDHUP)
        return not poller.poll(0)

    def _on_connection(self, connected: bool) -> None:
        """Vendor callback: a lost connection ends the running transaction now, not at its deadline."""
        if not connected and self._deadline is not None:
            self._deadline.reschedule(asyncio.get_running_loop().time())


def assert_pinned(client: AsyncModbusTcpClient) -> None:
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
