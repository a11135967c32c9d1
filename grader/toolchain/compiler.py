"""The host compiler: which one, with which flags, and running it within limits."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.toolchain import machine, memory
from grader.toolchain.errors import EnvironmentFault

LEARNER_FLAGS = [
    "-O1",
    "-g1",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-fno-gnu-unique",
    "-fsanitize=thread,bounds-strict",
    "--param",
    "tsan-instrument-func-entry-exit=0",
    "--param",
    "tsan-distinguish-volatile=1",
    "-fno-builtin-memcpy",
    "-fno-builtin-memset",
    "-fno-builtin-memmove",
    "-fno-tree-vectorize",
    "-fno-tree-sra",
    "-fno-ipa-sra",
    "-fno-tree-sink",
    "-fstack-clash-protection",
    "-fno-omit-frame-pointer",
    "-w",
]
"""How a learner's unit is compiled.

GNU-unique symbols would merge the kernels of two modules.  Scalar replacement would split a `float4` load
into four, and misalignment would go unseen.  Sinking would move a load that is written before a bounds test
behind it, and the access beyond the end would go unseen.  Stack-clash protection makes a huge local array
meet the guard page.
"""

RUNTIME_FLAGS = ["-O2", "-fPIC", "-fno-omit-frame-pointer", "-w"]
"""Without line tables, 20 MB of each user's disk: reports name lines of learners' modules alone."""

RUNTIME_LINK_FLAGS = ["-shared", "-Wl,-Bsymbolic"]
"""Bound to itself: its std:: templates must never resolve to a learner's instrumented copies."""

MESSAGE_FLAGS = ["-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-fmax-errors=30"]

_FILE_BLOCKS = 4 << 20  # of 512 bytes
_OUTPUT_BYTES = 1 << 20


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler and what it says about itself, which decides whether precompiled headers fit."""

    path: str
    version: str


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    output: str
    timed_out: bool = False


@cache
def host_compiler() -> Compiler:
    """Return g++, or what `CXX` names."""
    if "compiler" in machine.told():
        return Compiler(**machine.told()["compiler"])
    name = os.environ.get("CXX") or "g++"
    path = shutil.which(name)
    if path is None:
        raise EnvironmentFault(
            f"The C++ compiler {name} is not on PATH. Install it, on Debian and Ubuntu: sudo apt install g++"
        )
    ran = run([path, "--version"], seconds=20)
    if ran.status or "clang" in ran.output.lower():
        raise EnvironmentFault(f"{path} is not a working GNU C++ compiler: set CXX to g++ 11 or later.")
    return Compiler(path, ran.output.split("\n")[0])


@cache
def standard_library() -> str:
    """Return what names the shared libstdc++ on a link line; it stands before all other libraries.

    Some compilers link their own libstdc++ statically.  A module with such a copy crashes at
    `stream << number`: that uses a facet of one copy with the locale of another (seen with
    PyTorch 2.11 and g++ 13).
    """
    if "standard_library" in machine.told():
        return str(machine.told()["standard_library"])
    compiler = host_compiler().path
    named = run([compiler, "-print-file-name=libstdc++.so.6"], seconds=20).output.strip()
    if Path(named).is_absolute():
        return str(Path(named).resolve())
    listed = run(["/bin/sh", "-c", "PATH=$PATH:/sbin:/usr/sbin ldconfig -p"], seconds=20).output
    architecture = _LISTED.get(platform.machine(), "")
    found = re.search(rf"libstdc\+\+\.so\.6 .*{architecture}.*=> (\S+)", listed)
    return found[1] if found else "-lstdc++"


_LISTED = {"x86_64": "x86-64", "aarch64": "AArch64"}


def run(command: Sequence[str | Path], *, seconds: float, cpu_seconds: int | None = None) -> Ran:
    """Run a command with both outputs joined.

    Past `seconds` of the clock it is killed; `cpu_seconds` bound what it computes on a busy machine too.
    """
    shell = ["/bin/sh", "-c", f'{_limits(cpu_seconds)} exec "$@"', "sh", *map(str, command)]
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C"}
    # In memory: a full disk must not swallow what the compiler says about it.
    with open(os.memfd_create("output"), "r+b") as out:
        process = subprocess.Popen(
            shell,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=environment,
            start_new_session=True,
        )
        try:
            status, timed_out = process.wait(seconds), False
        except subprocess.TimeoutExpired:
            status, timed_out = -signal.SIGKILL, True
        finally:
            _end(process)
        out.seek(0)
        return Ran(status, out.read(_OUTPUT_BYTES).decode("utf-8", "replace"), timed_out)


def _limits(cpu_seconds: int | None) -> str:
    """Return the shell's commands that set limits; one a command, since dash's ulimit takes no more.

    Computing has a soft limit, whose signal differs from that of a machine out of memory.
    """
    wanted = ["-c 0", f"-v {memory.compiler_bytes() >> 10}", f"-f {_FILE_BLOCKS}"]
    if cpu_seconds is not None:
        wanted.append(f"-S -t {cpu_seconds}")
    return " ".join(f"ulimit {limit} 2>/dev/null;" for limit in wanted)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the command's process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
