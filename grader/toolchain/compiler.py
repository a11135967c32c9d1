"""The host compiler: which one, with which flags, and running it within limits."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
    "-fstack-clash-protection",
    "-fno-omit-frame-pointer",
    "-w",
]
"""How a learner's unit is compiled.

GNU-unique symbols would merge the kernels of two modules.  Scalar replacement would split a `float4` load into four,
and misalignment would go unseen.  A huge local array must meet the guard page, hence the stack-clash protection.
"""

RUNTIME_FLAGS = ["-O2", "-g1", "-fPIC", "-fno-omit-frame-pointer", "-w"]

MESSAGE_FLAGS = ["-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-fmax-errors=30"]

_MEMORY_KIB = 12 << 20
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


def run(command: Sequence[str | Path], *, seconds: float, cwd: Path | None = None) -> Ran:
    """Run a command with both outputs joined; past `seconds`, or past the output limit, it is killed."""
    limits = f"ulimit -v {_MEMORY_KIB} -f {_FILE_BLOCKS} 2>/dev/null || true"
    shell = ["/bin/sh", "-c", f'{limits}; exec "$@"', "sh", *map(str, command)]
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C"}
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            shell,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=cwd,
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


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the command's process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
