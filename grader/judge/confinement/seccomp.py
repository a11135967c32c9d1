"""Seccomp: system calls that no answer needs, refused with EPERM.  By libseccomp, through pyseccomp."""

from __future__ import annotations

import errno
import socket
from importlib import import_module
from typing import Any

_REFUSED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsmount",
    "mount_setattr", "unshare", "setns", "bpf", "perf_event_open", "keyctl", "add_key", "request_key",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot",
    "swapon", "swapoff",
)  # fmt: skip
"""io_uring among them: it opens sockets past the rule below."""


def is_available() -> bool:
    """Whether pyseccomp and libseccomp are there."""
    return _library() is not None


def restrict() -> None:
    """Refuse the calls above, and every socket but a unix one, to this process and all that it starts."""
    library = _library()
    if library is None:
        raise OSError("pyseccomp is not installed: pip install pyseccomp")
    rules = library.SyscallFilter(defaction=library.ALLOW)
    refuse = library.ERRNO(errno.EPERM)
    for name in _REFUSED:
        try:
            rules.add_rule(refuse, name)
        except (ValueError, RuntimeError, OSError):  # a call that this libseccomp or machine does not know
            continue
    rules.add_rule(refuse, "socket", library.Arg(0, library.NE, int(socket.AF_UNIX)))
    rules.load()


def _library() -> Any:
    try:
        return import_module("pyseccomp")
    except (ImportError, OSError, RuntimeError):
        return None
