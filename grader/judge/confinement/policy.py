"""What workers and builds may reach: the system, Python, PyTorch and the grader's untrusted half, read only.

Never among it: exercises with their references, lessons with answers, a course directory, a home, or what was
built for another answer.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2]
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin",
    "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime",
    "/sys/devices/system", "/sys/bus/pci", "/sys/module/nvidia",
)  # fmt: skip
_PROCESS = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/proc/filesystems")
"""A worker's own entry, looked up in the worker; not other processes' command lines, nor a compiler's own
environment, which `#include "/proc/self/environ"` would print."""
_UNTRUSTED = ("__init__.py", "verdict.py", "simulator", "toolchain", "judge/__init__.py", "judge/worker")
_UNTRUSTED_OF_JUDGE = ("protocol.py", "faults.py", "leavings.py", "nursery.py", "confinement")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_GPU = ("nvidia*", "dxg")


@dataclass(frozen=True)
class Policy:
    """Directories and files to read and execute, and those to change as well."""

    read: tuple[str, ...]
    write: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the policy as plain data."""
        return {"read": list(self.read), "write": list(self.write)}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Policy:
        """Return what `to_json` wrote."""
        return Policy(tuple(data["read"]), tuple(data["write"]))

    def and_write(self, path: Path) -> Policy:
        """Return the policy with one more directory to change."""
        return Policy(self.read, (*self.write, str(path)))


def for_worker(runtime: Iterable[Path], kind: str) -> Policy:
    """Return what a worker needs besides its own scratch: the directories of the simulator's runtime to read.

    Compilers too: a package's setup.py runs in a worker.
    A GPU's driver looks into more of /proc than can be listed; Landlock keeps other processes' secrets there.
    """
    process = _PROCESS if kind == "sim" else ("/proc",)
    reads = (*_common(), *_compilers(), *process, *map(str, runtime))
    return Policy(reads, tuple(_devices()))


def for_build(cache: Path, temporary: Path) -> Policy:
    """Return what a build needs: compilers to read, the cache and a temporary directory to change.

    Of devices the one that swallows: `#include "/dev/zero"` takes all memory that a compiler may have.
    """
    return Policy((*_common(), *_compilers()), (str(cache), str(temporary), "/dev/null", *_gpus()))


def for_python() -> Policy:
    """Return what Python needs to start, and nothing more."""
    return Policy(tuple(_common()), ())


def _common() -> Iterator[str]:
    yield from _SYSTEM
    yield from dict.fromkeys((sys.prefix, sys.base_prefix, *_installed_packages()))
    yield from (str(PACKAGE / name) for name in _UNTRUSTED)
    yield from (str(PACKAGE / "judge" / name) for name in _UNTRUSTED_OF_JUDGE)


def _installed_packages() -> Iterator[str]:
    """Yield the directories that hold installed packages, but never a source tree of ours."""
    places = [Path(path) for path in sys.path if path]
    yield from (str(path) for path in places if any(path.glob("*.dist-info")) and path != PACKAGE.parent)
    torch = sys.modules.get("torch")
    if torch is not None and torch.__file__:
        yield str(Path(torch.__file__).parent)


def _compilers() -> Iterator[str]:
    """Yield where the compilers really are: `PATH` may lead to links, and a toolkit has its own tree."""
    for name in (os.environ.get("CXX") or "g++", "nvcc", "ninja"):
        found = shutil.which(name)
        if found:
            yield str(Path(found).resolve().parents[1])
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield os.environ[variable]
    yield from (str(path) for path in Path("/usr/local").glob("cuda*"))


def _devices() -> Iterator[str]:
    yield from _DEVICES
    yield from _gpus()


def _gpus() -> Iterator[str]:
    yield from (str(path) for pattern in _GPU for path in Path("/dev").glob(pattern))
