"""What SQLite asks of the disk, seen and spoilt: its default VFS with three calls in between. For a child process.

`install` puts it under every database that is opened afterwards in this process. Every write, truncation and sync of
a journal file is told to `Disk.seen` after it was done; before it is done, `Disk` may hold it, or fail it as a disk
does. Structures: sqlite.org/c3ref/vfs.html and io_methods.html (both version 3).
"""

from __future__ import annotations

import _sqlite3
import ctypes
import threading
import time
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from typing import Any, Literal

OK, FULL = 0, 13
IOERR_WRITE, IOERR_FSYNC = 778, 1034
OPEN_MAIN_DB, OPEN_WAL = 0x100, 0x80000

OpName = Literal["open", "write", "truncate", "sync", "delete"]


@dataclass(frozen=True, slots=True)
class Op:
    """One thing that happened to a file. `at`: offset of a write, size of a truncation."""

    name: OpName
    path: str
    at: int = 0
    data: bytes = b""


@dataclass(slots=True)
class Disk:
    """`fail` counts down on calls of `fail_at`; from 0 on every such call of the journal fails (once, if `once`)."""

    seen: Callable[[Op], None] = lambda _op: None
    of: str = "journal-"
    fail_at: OpName | None = None
    fail_after: int = 0
    code: int = IOERR_FSYNC
    once: bool = False
    hold_s: float = 0.0
    """The next sync takes this much longer."""
    failed: int = 0
    synced: int = 0
    held: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def before(self, name: OpName, path: str) -> int:
        """OK, or the error that SQLite is given instead of the call."""
        if self.of not in path:
            return OK
        with self._lock:
            hold_s, self.hold_s = (self.hold_s, 0.0) if name == "sync" else (0.0, self.hold_s)
            self.held += hold_s > 0
            verdict = self._verdict(name)
        if hold_s:
            time.sleep(hold_s)
        self.synced += name == "sync" and verdict == OK
        return verdict

    def _verdict(self, name: OpName) -> int:
        if name != self.fail_at:
            return OK
        if self.fail_after > 0:
            self.fail_after -= 1
            return OK
        self.failed += 1
        if self.once:
            self.fail_at = None
        return self.code


class _Methods(Structure):
    _fields_ = [
        ("iVersion", c_int),
        *((name, c_void_p) for name in (
            "xClose", "xRead", "xWrite", "xTruncate", "xSync", "xFileSize", "xLock", "xUnlock",
            "xCheckReservedLock", "xFileControl", "xSectorSize", "xDeviceCharacteristics",
            "xShmMap", "xShmLock", "xShmBarrier", "xShmUnmap", "xFetch", "xUnfetch",
        )),
    ]  # fmt: skip


class _File(Structure):
    _fields_ = [("pMethods", POINTER(_Methods))]


class _Vfs(Structure):
    _fields_ = [
        ("iVersion", c_int), ("szOsFile", c_int), ("mxPathname", c_int),
        ("pNext", c_void_p), ("zName", c_char_p), ("pAppData", c_void_p),
        *((name, c_void_p) for name in (
            "xOpen", "xDelete", "xAccess", "xFullPathname", "xDlOpen", "xDlError", "xDlSym", "xDlClose",
            "xRandomness", "xSleep", "xCurrentTime", "xGetLastError", "xCurrentTimeInt64",
            "xSetSystemCall", "xGetSystemCall", "xNextSystemCall",
        )),
    ]  # fmt: skip


_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_DELETE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
_CLOSE = CFUNCTYPE(c_int, c_void_p)
_WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
_SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class _Between:
    """The calls in between. Kept alive for the process's life: SQLite holds pointers into it."""

    def __init__(self, library: ctypes.CDLL, disk: Disk) -> None:
        library.sqlite3_vfs_find.restype = POINTER(_Vfs)
        library.sqlite3_vfs_find.argtypes = [c_char_p]
        library.sqlite3_vfs_register.argtypes = [c_void_p, c_int]
        found = library.sqlite3_vfs_find(None)
        self._disk = disk
        self._paths: dict[int, str] = {}
        self._spoilt: dict[int, _Methods] = {}
        self._kept: list[Any] = []
        self._open, self._delete = _OPEN(found.contents.xOpen), _DELETE(found.contents.xDelete)
        self.vfs = _Vfs.from_buffer_copy(found.contents)
        self.vfs.pNext, self.vfs.zName = None, b"spoilt"
        self.vfs.xOpen, self.vfs.xDelete = self._keep(_OPEN(self.open)), self._keep(_DELETE(self.delete))
        code = library.sqlite3_vfs_register(ctypes.byref(self.vfs), 1)
        assert code == OK, code

    def _keep(self, function: Any) -> Any:
        self._kept.append(function)
        return ctypes.cast(function, c_void_p).value

    def open(self, vfs: int, name: int | None, file: int, flags: int, out: Any) -> int:
        """`name` is passed on as the pointer it is: SQLite keeps it for as long as the file is open."""
        code: int = self._open(vfs, name, file, flags, out)
        if code != OK or name is None or not flags & (OPEN_MAIN_DB | OPEN_WAL):
            return code
        opened = ctypes.cast(file, POINTER(_File)).contents
        own = ctypes.addressof(opened.pMethods.contents)
        if own not in self._spoilt:
            self._spoilt[own] = self._methods(opened.pMethods.contents)
        opened.pMethods = ctypes.pointer(self._spoilt[own])
        self._paths[file] = ctypes.string_at(name).decode()
        self._disk.seen(Op("open", self._paths[file]))
        return code

    def delete(self, vfs: int, name: int, sync_folder: int) -> int:
        code: int = self._delete(vfs, name, sync_folder)
        if code == OK:
            self._disk.seen(Op("delete", ctypes.string_at(name).decode()))
        return code

    def _methods(self, plain: _Methods) -> _Methods:
        write, truncate = _WRITE(plain.xWrite), _TRUNCATE(plain.xTruncate)
        sync, close = _SYNC(plain.xSync), _CLOSE(plain.xClose)

        def on_write(file: int, data: int, count: int, at: int) -> int:
            path = self._paths[file]
            if code := self._disk.before("write", path):
                return code
            return self._done(
                write(file, data, count, at), lambda: Op("write", path, at, ctypes.string_at(data, count))
            )

        def on_truncate(file: int, size: int) -> int:
            path = self._paths[file]
            return self._done(truncate(file, size), lambda: Op("truncate", path, size))

        def on_sync(file: int, flags: int) -> int:
            path = self._paths[file]
            if code := self._disk.before("sync", path):
                return code
            return self._done(sync(file, flags), lambda: Op("sync", path))

        def on_close(file: int) -> int:
            self._paths.pop(file, None)
            closed: int = close(file)
            return closed

        spoilt = _Methods.from_buffer_copy(plain)
        spoilt.xWrite, spoilt.xTruncate = self._keep(_WRITE(on_write)), self._keep(_TRUNCATE(on_truncate))
        spoilt.xSync, spoilt.xClose = self._keep(_SYNC(on_sync)), self._keep(_CLOSE(on_close))
        return spoilt

    def _done(self, code: int, op: Callable[[], Op]) -> int:
        if code == OK:
            self._disk.seen(op())
        return code


_installed: list[_Between] = []


def install(disk: Disk) -> None:
    """Under every database of this process that is opened from now on. Once a process."""
    assert not _installed, "one disk a process"
    _installed.append(_Between(ctypes.CDLL(getattr(_sqlite3, "__file__", None)), disk))
