"""The simulator's runtime, built once per user: `libgrader_sim.so` and the precompiled headers.

Three things are kept apart, each named by all that decides it: `headers-*` (generated and precompiled),
`objects/*.o` (one for each C++ file of the simulator) and `runtime-*` (the library).
"""

from __future__ import annotations

import os
import shutil
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from grader.toolchain import cache, headers, identifiers
from grader.toolchain.compiler import (
    LEARNER_FLAGS,
    RUNTIME_FLAGS,
    RUNTIME_LINK_FLAGS,
    Compiler,
    Ran,
    host_compiler,
    run,
    standard_library,
)
from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.locks import locked
from grader.toolchain.progress import Silent, Watcher
from grader.toolchain.sources import Snapshot
from grader.toolchain.torch_install import TorchInstall, installed, python_include

JOBS = min(8, max(2, os.cpu_count() or 2))
"""Compilers at once: each takes up to 1 GB of memory."""
PRECOMPILED = ("wide", "lean")
OBJECTS_BYTES = 100 << 20
_LIBRARY = "libgrader_sim.so"
BINDING = "libgrader_bind.so"
"""The part of the runtime that a library for CUDA needs: arguments and results of learners' functions."""
_BINDING_UNIT = "csrc/bind/bind.cpp"
_STEP_SECONDS = 900.0
_KEEP = 3
_IN_USE_SECONDS = 900.0
"""So long after its last use a runtime may still serve a process that runs."""


@dataclass(frozen=True)
class Runtime:
    """A finished runtime: the directories of the library and of the headers."""

    directory: Path
    headers: Path
    key: str
    install: TorchInstall
    compiler: Compiler

    @property
    def library(self) -> Path:
        """The simulator's shared library."""
        return self.directory / _LIBRARY

    @property
    def binding(self) -> Path:
        """The library that converts arguments and results, without the simulator."""
        return self.directory / BINDING

    @property
    def is_whole(self) -> bool:
        """Whether nothing has removed it since it was found."""
        return all((place / "complete").exists() for place in (self.directory, self.headers))

    def unit_flags(self, mode: str) -> list[str]:
        """Return the flags for a learner's unit: `lean`, `wide` or `full` headers."""
        return _unit_flags(self.headers, self.install, mode)

    def header(self, mode: str) -> Path:
        """The header that a unit includes first; beside it stands what was precompiled."""
        return self.headers / "units/grader" / f"{mode}.h"


@once
def snapshot() -> Snapshot:
    """Return the simulator's sources as they stood when this process first asked."""
    return Snapshot.take()


@once
def _base() -> str:
    """Return the name of what everything depends on: compiler, torch, flags."""
    install, compiler = installed(), host_compiler()
    parts = [compiler.path, compiler.version, str(install.root), install.version, install.standard]
    return cache.key(
        [
            *parts,
            str(python_include()),
            *LEARNER_FLAGS,
            *RUNTIME_FLAGS,
            *RUNTIME_LINK_FLAGS,
            standard_library(),
        ]
    )


@once
def headers_key() -> str:
    """Return the name of everything that decides the headers."""
    own = [Path(str(module.__file__)).read_bytes() for module in (headers, identifiers)]
    return cache.key([_base(), *own, *snapshot().header_parts()])[:16]


@once
def key() -> str:
    """Return the name of everything that decides the runtime."""
    return cache.key([headers_key(), BINDING, *snapshot().parts()])[:16]


def _places() -> tuple[Path, Path]:
    root = cache.root()
    return root / f"runtime-{key()}", root / f"headers-{headers_key()}"


def find() -> Runtime | None:
    """Return the runtime if it is built."""
    places = _places()
    if not all((place / "complete").exists() for place in places):
        return None
    for place in places:
        cache.used(place / "complete")
    return Runtime(*places, key(), installed(), host_compiler())


def ensure(progress: Watcher | None = None) -> Runtime:
    """Return the runtime, built now if need be; `progress` is told how that goes.

    Raises `EnvironmentFault`, which names the next step, if this machine cannot build it.
    """
    found = find()
    if found is not None:
        return found
    watcher = progress or Silent()
    with locked(cache.lock_path("runtime"), watcher.waiting), cache.writing(cache.root()):
        if find() is None:
            _Build(watcher).run()
            _forget_old()
    built = find()
    if built is None:
        raise EnvironmentFault(f"Something removed files from {cache.root()} during the build. Try again.")
    return built


def _forget_old() -> None:
    """Remove all but the runtimes and headers that were used last, and those that may be in use."""
    for pattern in ("runtime-*", "headers-*"):
        finished = [path for path in cache.root().glob(pattern) if path.is_dir()]
        for path in sorted(finished, key=_used_at, reverse=True)[_KEEP:]:
            if path not in _places() and time.time() - _used_at(path) > _IN_USE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _used_at(path: Path) -> float:
    marker = path / "complete"
    return marker.stat().st_mtime if marker.exists() else 0.0


def _unit_flags(directory: Path, install: TorchInstall, mode: str) -> list[str]:
    include = ["exchanged", "generated", "units"]
    include += [] if mode == "full" else ["lean", "narrow"]
    flags = [f"-std={install.standard}", *LEARNER_FLAGS, f"-I{directory / 'simulator/include'}"]
    flags += [f"-I{directory / name}" for name in include]
    flags += [f"-I{directory / 'simulator/csrc/bind'}", *install.include_flags()]
    return flags if mode == "full" else [*flags, "-DAT_PER_OPERATOR_HEADERS"]


class _Build:
    """The steps of one build, in two jobs; what is already there costs nothing."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.install = installed()
        self.compiler = host_compiler()
        self.directory, self.headers = _places()
        self.objects = cache.root() / "objects"
        self.objects.mkdir(exist_ok=True)

    def run(self) -> None:
        """Do what is left to do; nothing half done is ever taken for done."""
        with cache.scratch(cache.root()) as scratch:
            snapshot().write(scratch)
            units = {unit: self._object(unit) for unit in snapshot().units()}
            stale = [unit for unit, place in units.items() if not place.exists()]
            modes = [] if (self.headers / "complete").exists() else list(PRECOMPILED)
            self.watcher.begin(len(stale) + 2 * len(modes) + bool(modes) + 1, "Building the simulator")
            if modes:
                self._write_headers()
            self._compile_all(modes, stale, scratch)
            if modes:
                _complete(self.headers)
            self._link(list(units.values()), units[_BINDING_UNIT])
            self.watcher.done(_LIBRARY)
        cache.prune_files(self.objects, OBJECTS_BYTES)

    def _write_headers(self) -> None:
        # Precompiled headers remember where they stand, so they are built in place; `complete` comes last.
        shutil.rmtree(self.headers, ignore_errors=True)
        self.headers.mkdir()
        snapshot().write(self.headers)
        headers.write(self.install, self.headers)

    def _compile_all(self, modes: list[str], stale: list[str], scratch: Path) -> None:
        with ThreadPoolExecutor(JOBS) as pool:
            jobs = {pool.submit(self._precompile, mode): f"{mode} headers" for mode in modes}
            if modes:
                jobs[pool.submit(self._list_full)] = "list of full headers"
            # The units that include PyTorch first, so that no long job is left for the end.
            ordered = sorted(stale, key=lambda unit: "engine/" in unit)
            jobs |= {pool.submit(self._compile, scratch, unit): Path(unit).name for unit in ordered}
            self._follow(jobs)
        for mode in modes:
            identifiers.write(self.headers, mode)
            self.watcher.done(f"names that {mode} headers lack")

    def _follow(self, jobs: dict[Future[None], str]) -> None:
        """Report jobs as they end; drop the rest at the first failure."""
        pending = set(jobs)
        try:
            while pending:
                ended, pending = wait(pending, return_when=FIRST_COMPLETED)
                for job in ended:
                    job.result()
                    self.watcher.done(jobs[job])
        finally:
            for job in pending:
                job.cancel()

    def _precompile(self, mode: str) -> None:
        header = self.headers / "units/grader" / f"{mode}.h"
        flags = _unit_flags(self.headers, self.install, mode)
        flags += ["-MD", "-MF", str(self.headers / f"{mode}.d"), "-x", "c++-header"]
        self._run([self.compiler.path, *flags, header, "-o", f"{header}.gch"])

    def _list_full(self) -> None:
        flags = [*_unit_flags(self.headers, self.install, "full"), "-M", "-MF", str(self.headers / "full.d")]
        self._run([self.compiler.path, *flags, self.headers / "units/grader/full.h"])

    def _object(self, unit: str) -> Path:
        return self.objects / f"{cache.key([_base(), *snapshot().unit_parts(unit)])}.o"

    def _compile(self, scratch: Path, unit: str) -> None:
        source = scratch / "simulator"
        flags = [
            f"-std={self.install.standard}",
            *RUNTIME_FLAGS,
            f"-I{source / 'include'}",
            f"-I{source / 'csrc'}",
        ]
        flags += [*self.install.include_flags(), f"-isystem{python_include()}"]
        made = scratch / f"{unit.replace('/', '_')}.o"
        self._run([self.compiler.path, *flags, "-c", source / unit, "-o", made])
        made.rename(self._object(unit))

    def _link(self, objects: list[Path], binding: Path) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        self._link_one(_LIBRARY, objects)
        self._link_one(BINDING, [binding])
        _complete(self.directory)

    def _link_one(self, name: str, objects: list[Path]) -> None:
        libraries = [
            standard_library(),
            f"-L{self.install.libraries}",
            f"-Wl,-rpath,{self.install.libraries}",
        ]
        libraries += ["-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl", "-lpthread"]
        flags = [*RUNTIME_LINK_FLAGS, f"-Wl,-soname,{name}", *libraries]
        self._run([self.compiler.path, *objects, *flags, "-o", self.directory / name])

    def _run(self, command: list[str | Path]) -> None:
        ran = run(command, seconds=_STEP_SECONDS)
        if ran.status:
            _raise(ran, command)


def _complete(directory: Path) -> None:
    (directory / "complete").touch()


def _raise(ran: Ran, command: list[str | Path]) -> None:
    if "No space left on device" in ran.output or "File too large" in ran.output:
        raise EnvironmentFault(
            f"The disk that holds {cache.root()} is full. "
            "Free 600 MB, or set GRADER_CACHE to a directory on another disk."
        )
    if "virtual memory exhausted" in ran.output or "Killed signal" in ran.output:
        raise EnvironmentFault(
            "The compiler ran out of memory. Building the simulator needs 3 GB that are free."
        )
    log = cache.root() / "runtime-build.log"
    log.write_text(f"{' '.join(map(str, command))}\n{ran.output}")
    first = next((line for line in ran.output.split("\n") if "error" in line), ran.output[-500:])
    why = "did not finish in time" if ran.timed_out else f"failed: {first.strip()}"
    raise EnvironmentFault(f"Building the simulator {why}. The compiler's whole output is in {log}.")
