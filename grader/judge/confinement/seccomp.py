"""Seccomp: system calls that no answer needs, refused with EPERM.  By libseccomp, through pyseccomp.

Two filters: `restrict` for whatever is confined, compilers too; `seal` for a worker that is about to load an
answer.  Landlock knows files that are opened, and nothing of these.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterable
from importlib import import_module
from typing import Any

_REFUSED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsmount",
    "mount_setattr", "unshare", "setns", "bpf", "perf_event_open", "keyctl", "add_key", "request_key",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot",
    "swapon", "swapoff", "acct", "quotactl", "syslog", "sethostname", "setdomainname", "settimeofday",
    "clock_settime", "clock_adjtime", "adjtimex", "open_by_handle_at", "name_to_handle_at", "vhangup",
    "shmget", "shmat", "shmctl", "msgget", "msgctl", "semget", "semctl", "mq_open", "mq_unlink",
    "fanotify_init", "inotify_init", "inotify_init1", "inotify_add_watch",
)  # fmt: skip
"""io_uring among them: it opens sockets past the rules below.  Shared memory and queues of System V and POSIX
outlive their process and would carry one answer's words to the next."""

_SEALED = (
    "fork", "vfork", "execve", "execveat", "memfd_create", "memfd_secret",
    "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "mknod", "mknodat",
    "setxattr", "lsetxattr", "removexattr", "lremovexattr", "utime", "utimes", "utimensat", "futimesat",
    "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "pidfd_open",
    "sched_setscheduler", "sched_setattr", "ioprio_set", "migrate_pages", "move_pages", "process_madvise",
    "personality",
)  # fmt: skip
"""Modes, owners, times and attributes of files that one cannot even open are among what Landlock lets be."""

_SEALED_FOR_OTHERS = ("prlimit64", "sched_setaffinity")
"""Calls whose first argument is a process: only 0, oneself, is allowed."""

_CLONE_THREAD = 0x00010000
_SHARED_AND_ANONYMOUS = 0x21


def is_available() -> bool:
    """Whether pyseccomp and libseccomp are there."""
    return _library() is not None


def restrict() -> None:
    """Refuse the calls above, and every socket but a unix one, to this process and all that it starts."""
    library = _required()
    rules = _filter(library, _REFUSED)
    rules.add_rule(library.ERRNO(errno.EPERM), "socket", library.Arg(0, library.NE, int(socket.AF_UNIX)))
    rules.load()


def seal(keeps_shared_memory: bool) -> None:
    """Refuse, for ever, what an answer in this process could start, signal or change outside it.

    No process and no program: what is not there cannot stay behind or multiply.  No unix socket either: by
    one, a desktop's session bus or a container engine runs commands for whoever asks.  `keeps_shared_memory`,
    which no limit counts, is for a GPU's driver.
    """
    library = _required()
    refuse = library.ERRNO(errno.EPERM)
    rules = _filter(library, ("socket", *_SEALED))
    for name in _SEALED_FOR_OTHERS:
        rules.add_rule(refuse, name, library.Arg(0, library.NE, 0))
    for name in ("kill", "tgkill"):
        rules.add_rule(refuse, name, library.Arg(0, library.NE, os.getpid()))
    rules.add_rule(refuse, "setpriority", library.Arg(1, library.NE, 0))
    # The C library falls back on clone, whose flags can be seen.
    rules.add_rule(library.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(refuse, "clone", library.Arg(0, library.MASKED_EQ, _CLONE_THREAD, 0))
    if not keeps_shared_memory:
        both = library.Arg(3, library.MASKED_EQ, _SHARED_AND_ANONYMOUS, _SHARED_AND_ANONYMOUS)
        rules.add_rule(refuse, "mmap", both)
    rules.load()


def _filter(library: Any, names: Iterable[str]) -> Any:
    rules = library.SyscallFilter(defaction=library.ALLOW)
    for name in names:
        try:
            rules.add_rule(library.ERRNO(errno.EPERM), name)
        except (ValueError, RuntimeError, OSError):  # a call that this libseccomp or machine does not know
            continue
    return rules


def _required() -> Any:
    library = _library()
    if library is None:
        raise OSError("pyseccomp is not installed: pip install pyseccomp")
    return library


def _library() -> Any:
    try:
        return import_module("pyseccomp")
    except (ImportError, OSError, RuntimeError):
        return None
