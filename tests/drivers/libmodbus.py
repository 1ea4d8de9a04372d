"""libmodbus 3.1, the C library most controllers' tools are built on, through `ctypes`: its client and its server."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_uint8, c_uint16, c_void_p

from edge_agent.adapters.mqtt.broker import free_port
from tests.drivers.peers import needed

HOST = "127.0.0.1"
REGISTERS = 256
MAX_ADU_BYTES = 260
LIBRARY = "libmodbus.so.5"


class _Mapping(Structure):
    """modbus.h, `modbus_mapping_t`."""

    _fields_ = [
        *((name, c_int) for name in (
            "nb_bits", "start_bits", "nb_input_bits", "start_input_bits", "nb_input_registers",
            "start_input_registers", "nb_registers", "start_registers",
        )),
        ("tab_bits", POINTER(c_uint8)),
        ("tab_input_bits", POINTER(c_uint8)),
        ("tab_input_registers", POINTER(c_uint16)),
        ("tab_registers", POINTER(c_uint16)),
    ]  # fmt: skip


def library() -> ctypes.CDLL:
    try:
        found = ctypes.CDLL(LIBRARY)
    except OSError:
        needed(None, "libmodbus5")
        raise
    found.modbus_new_tcp.restype, found.modbus_new_tcp.argtypes = c_void_p, [c_char_p, c_int]
    found.modbus_mapping_new.restype = POINTER(_Mapping)
    words = POINTER(c_uint16)
    for name, arguments in {
        "modbus_set_slave": [c_void_p, c_int],
        "modbus_connect": [c_void_p],
        "modbus_close": [c_void_p],
        "modbus_free": [c_void_p],
        "modbus_read_registers": [c_void_p, c_int, c_int, words],
        "modbus_write_registers": [c_void_p, c_int, c_int, words],
        "modbus_tcp_listen": [c_void_p, c_int],
        "modbus_tcp_accept": [c_void_p, POINTER(c_int)],
        "modbus_receive": [c_void_p, c_void_p],
        "modbus_reply": [c_void_p, c_void_p, c_int, POINTER(_Mapping)],
        "modbus_get_socket": [c_void_p],
        "modbus_mapping_free": [POINTER(_Mapping)],
    }.items():
        getattr(found, name).argtypes = arguments
    return found


class LibmodbusClient:
    def __init__(self, library: ctypes.CDLL, context: int) -> None:
        self._library, self._context = library, context

    def read(self, address: int, count: int) -> list[int] | None:
        words = (c_uint16 * count)()
        done = self._library.modbus_read_registers(self._context, address, count, words)
        return list(words) if done == count else None

    def write(self, address: int, words: Sequence[int]) -> bool:
        sent = (c_uint16 * len(words))(*words)
        return bool(self._library.modbus_write_registers(self._context, address, len(words), sent) == len(words))


@contextmanager
def client(port: int) -> Iterator[LibmodbusClient]:
    their = library()
    context = their.modbus_new_tcp(HOST.encode(), port)
    their.modbus_set_slave(context, 1)
    assert their.modbus_connect(context) == 0
    try:
        yield LibmodbusClient(their, context)
    finally:
        their.modbus_close(context)
        their.modbus_free(context)


class LibmodbusBank:
    def __init__(self, mapping: _Mapping) -> None:
        self._mapping = mapping

    def get(self, address: int, count: int) -> list[int]:
        return list(self._mapping.tab_registers[address : address + count])

    def put(self, address: int, words: Sequence[int]) -> None:
        for at, word in enumerate(words, address):
            self._mapping.tab_registers[at] = word


def _serve(their: ctypes.CDLL, context: int, listening: int, mapping: _Mapping) -> None:
    """One connection after the other, until the listening socket is shut."""
    query, socket = (c_uint8 * MAX_ADU_BYTES)(), c_int(listening)
    while their.modbus_tcp_accept(context, byref(socket)) >= 0:
        while (count := their.modbus_receive(context, query)) >= 0:
            if count > 0:
                their.modbus_reply(context, query, count, byref(mapping))
        their.modbus_close(context)


@contextmanager
def server() -> Iterator[tuple[int, LibmodbusBank]]:
    their, port = library(), free_port()
    context = their.modbus_new_tcp(HOST.encode(), port)
    mapping = their.modbus_mapping_new(0, 0, REGISTERS, 0)
    listening = their.modbus_tcp_listen(context, 1)
    assert listening >= 0
    serving = threading.Thread(target=_serve, args=(their, context, listening, mapping.contents))
    serving.start()
    try:
        yield port, LibmodbusBank(mapping.contents)
    finally:
        for socket in (listening, their.modbus_get_socket(context)):
            ctypes.CDLL(None).shutdown(socket, 2)
        serving.join()
        ctypes.CDLL(None).close(listening)
        their.modbus_mapping_free(mapping)
        their.modbus_free(context)
