"""The names that a built module defines and uses, and which of them no answer has a use for."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from grader.toolchain.compiler import run

_SECONDS = 60.0
_RESERVED = re.compile(r"(__tsan_|__ubsan_|__asan_|__wrap_|sim_)\w+$")
"""What watches memory, what stands for the C library's functions, and what steers the engine."""
_REACHING = re.compile(
    r"(dlm?open|dlv?sym|dladdr1?|dlinfo|dl_iterate_phdr|syscall|ptrace|process_vm_\w+|PyRun_\w+|sim_\w+"
    r"|_ZN2at20enableRecordFunctionEb|_ZN2at6native\w+|_ZN2at3cpu\w+)(@.*)?$"
)


def reserved(library: Path) -> list[str]:
    """Return the reserved names that a module defines: its own memory hooks would see no fault."""
    return [name for kind, name in _listed(library) if kind not in "Uw" and _RESERVED.match(name)]


def reaching(library: Path) -> list[str]:
    """Return the functions that a module calls to get at others by name, or below PyTorch's dispatcher."""
    found = {name.split("@")[0] for kind, name in _listed(library) if kind in "Uw" and _REACHING.match(name)}
    return sorted(found)


def _listed(library: Path) -> list[tuple[str, str]]:
    """Return kind and name of each symbol; nothing where there is no nm, which comes with the linker."""
    program = shutil.which("nm")
    if program is None:
        return []
    rows = (row.split() for row in run([program, library], seconds=_SECONDS).output.splitlines())
    return [(row[-2], row[-1]) for row in rows if len(row) >= 2 and len(row[-2]) == 1]
