"""Landlock: what a process may reach in the file system and the network, given up for ever.

Needs no privilege and works inside containers.  See landlock(7); the constants are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on x86-64 and aarch64
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << n for n in range(4))
_CHANGES = sum(1 << n for n in range(4, 13))  # making and removing files and directories
_NODES = 1 << 6 | 1 << 9 | 1 << 11  # making device nodes and sockets
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract unix sockets, signals

NETWORK_ABI, SCOPE_ABI = 4, 6


class LandlockError(OSError):
    """The kernel refused a rule."""


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("fs", ctypes.c_uint64),
        ("net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """Return the kernel's version of Landlock; 0 where there is none."""
    version = _libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(0, int(version))


def restrict(read: Iterable[Path], write: Iterable[Path]) -> None:
    """Let this process, and all that it starts, read and execute below `read`, and change below `write` too.

    Nobody makes a device or a socket there.  Devices among `write` may be controlled (ioctl).  TCP, signals
    to others and their abstract sockets are denied as far as the kernel knows how.  Paths that do not exist
    are passed over.
    """
    version = abi()
    if not version:
        raise LandlockError("this kernel has no Landlock")
    handled = _handled(version)
    ruleset = _create(version, handled)
    try:
        for path in read:
            _allow(ruleset, path, _READ & handled)
        for path in write:
            _allow(ruleset, path, handled & ~_NODES)
        _checked(_libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
        _checked(_libc().syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "restrict_self")
    finally:
        os.close(ruleset)


def _handled(version: int) -> int:
    known = _READ | _WRITE_FILE | _CHANGES
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        known |= right if version >= since else 0
    return known


def _create(version: int, handled: int) -> int:
    attributes = _Ruleset(handled)
    size = 8
    if version >= NETWORK_ABI:
        attributes.net, size = _TCP, 16
    if version >= SCOPE_ABI:
        attributes.scoped, size = _SCOPES, 24
    made = _libc().syscall(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    return _checked(made, "create_ruleset")


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_directory = stat.S_ISDIR(os.fstat(opened).st_mode)
        rights &= ~_IOCTL if is_directory else _OF_FILES
        rule = _Beneath(rights, opened)
        added = _libc().syscall(
            _ADD, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0)
        )
        _checked(added, str(path))
    finally:
        os.close(opened)


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise LandlockError(ctypes.get_errno(), f"Landlock refused {what}: {os.strerror(ctypes.get_errno())}")
    return int(result)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
