"""Namespaces, by bubblewrap: no other processes, no network, and no files but those granted are to be seen.

The parent of workers lives in one, and each build in one of its own.  Where a machine allows none, Landlock
and seccomp still stand, in each worker.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Iterable

from grader.judge.confinement.policy import Policy, for_python

TEMPORARY = "/tmp"
"""Where a process in its own namespaces finds an empty directory, which is gone with it."""
_TEMPORARY_BYTES = 512 << 20
_PROBE_SECONDS = 20.0
_UNSHARED = ("user", "ipc", "pid", "net", "uts")
ADVICE = (
    "install bubblewrap (Debian, Ubuntu: apt install bubblewrap) and allow user namespaces (sysctl "
    "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container: "
    "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined)"
)


@functools.cache
def available() -> bool:
    """Whether this machine lets us make namespaces, and Python starts in them."""
    if shutil.which("bwrap") is None:
        return False
    start = [*command(for_python(), devices=False), sys.executable, "-c", ""]
    try:
        ran = subprocess.run(start, capture_output=True, timeout=_PROBE_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return False
    return ran.returncode == 0


def command(policy: Policy, devices: bool, temporary: bool = True) -> list[str]:
    """Return what to write before a command to start it in namespaces where only the policy's files are.

    `devices` keeps the machine's own, for a GPU.  Without `temporary` the caller grants a directory itself.
    """
    words = ["bwrap", *(f"--unshare-{name}" for name in _UNSHARED), "--unshare-cgroup-try"]
    words += ["--die-with-parent", "--cap-drop", "ALL", "--hostname", "grader"]
    binds: list[tuple[str, str]] = []
    for path in sorted(policy.read):  # a directory before what lies in it, which it brings along
        if not _lies_in(path, ("/proc", "/dev", *(one for _, one in binds))):
            binds.append(("--ro-bind-try", path))
    binds += [("--bind-try", path) for path in sorted(policy.write) if not _lies_in(path, ("/proc", "/dev"))]
    # Upon what holds it, and under what it holds: Python itself may be installed in a temporary directory.
    above = [bind for bind in binds if temporary and _lies_in(TEMPORARY, (bind[1],))]
    for option, path in above:
        words += [option, path, path]
    if temporary:
        words += ["--perms", "0700", *_sized(), "--tmpfs", TEMPORARY]
    for option, path in binds:
        if (option, path) not in above:
            words += [option, path, path]
    words += ["--proc", "/proc", *(("--dev-bind", "/dev", "/dev") if devices else ("--dev", "/dev"))]
    return [*words, "--"]


def _lies_in(path: str, directories: Iterable[str]) -> bool:
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in directories)


@functools.cache
def _options() -> str:
    return subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False).stdout


def _sized() -> Iterable[str]:
    """Return the bound on the temporary directory, which bubblewrap 0.8 knows and 0.6 does not."""
    return ("--size", str(_TEMPORARY_BYTES)) if "--size" in _options() else ()
