"""The simulator's runtime, built once per user: `libgrader_sim.so`, generated and precompiled headers."""

from __future__ import annotations

import json
import shutil
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from grader.toolchain import cache, headers, identifiers
from grader.toolchain.compiler import LEARNER_FLAGS, RUNTIME_FLAGS, Compiler, Ran, host_compiler, run
from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.locks import locked
from grader.toolchain.progress import Silent, Watcher
from grader.toolchain.torch_install import TorchInstall, installed, python_include

SIMULATOR = Path(__file__).parents[1] / "simulator"
JOBS = 2
PRECOMPILED = ("lean", "wide")
_LIBRARY = "libgrader_sim.so"
_STEP_SECONDS = 600.0
_KEEP_DAYS = 7.0


@dataclass(frozen=True)
class Runtime:
    """A finished runtime."""

    directory: Path
    key: str
    install: TorchInstall
    compiler: Compiler

    @property
    def library(self) -> Path:
        """The simulator's shared library."""
        return self.directory / _LIBRARY

    def unit_flags(self, mode: str) -> list[str]:
        """Return the flags for a learner's unit with `lean`, `wide` or `full` headers, its first include among them."""
        return _unit_flags(self.directory, self.install, mode)

    def header(self, mode: str) -> Path:
        """The header that a unit includes first; beside it stands what was precompiled."""
        return self.directory / "units/grader" / f"{mode}.h"


@once
def key() -> str:
    """Return the name of everything that decides what the runtime is."""
    install, compiler = installed(), host_compiler()
    parts: list[str | bytes] = [compiler.path, compiler.version, str(install.root), install.version, install.standard]
    parts += [str(python_include()), *LEARNER_FLAGS, *RUNTIME_FLAGS]
    own = (Path(__file__), Path(headers.__file__), Path(identifiers.__file__))
    for path in (*own, *_sources(), *_files(SIMULATOR / "include"), *_files(headers.PACKAGE_HEADERS)):
        parts += [str(path.relative_to(SIMULATOR.parent)), path.read_bytes()]
    return cache.key(parts)[:16]


def _files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())


def _sources() -> list[Path]:
    return [path for path in _files(SIMULATOR / "csrc") if path.suffix in (".h", ".cpp")]


def find() -> Runtime | None:
    """Return the runtime if it is built."""
    directory = cache.root() / f"runtime-{key()}"
    if not (directory / "complete").exists():
        return None
    cache.used(directory / "complete")
    return Runtime(directory, key(), installed(), host_compiler())


def ensure(progress: Watcher | None = None) -> Runtime:
    """Return the runtime, built now if need be; `progress` is told how that goes.

    Raises `EnvironmentFault`, which names the next step, if this machine cannot build it.
    """
    found = find()
    if found is not None:
        return found
    watcher = progress or Silent()
    with locked(cache.lock_path(f"runtime-{key()}"), watcher.waiting):
        return find() or _build(watcher)


def _build(watcher: Watcher) -> Runtime:
    directory = cache.root() / f"runtime-{key()}"
    _forget_old(directory)
    with cache.writing(cache.root()):
        # Precompiled headers remember where they stand, so they are built in place; `complete` comes last.
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        started = time.monotonic()
        _Build(directory, watcher).run()
        note = {"seconds": round(time.monotonic() - started, 1), "torch": installed().version}
        partial = directory / "complete.partial"
        partial.write_text(json.dumps(note))
        partial.rename(directory / "complete")
    return Runtime(directory, key(), installed(), host_compiler())


def _forget_old(keep: Path) -> None:
    """Remove the runtimes of other keys that nobody used for a week."""
    for path in cache.root().glob("runtime-*"):
        marker = path / "complete"
        at = marker.stat().st_mtime if marker.exists() else path.stat().st_mtime
        if path != keep and time.time() - at > _KEEP_DAYS * 86400:
            shutil.rmtree(path, ignore_errors=True)


def _unit_flags(directory: Path, install: TorchInstall, mode: str) -> list[str]:
    include = ["exchanged", "generated", "units"]
    include += {"lean": ["lean", "narrow"], "wide": ["lean"], "full": []}[mode]
    flags = [f"-std={install.standard}", *LEARNER_FLAGS, f"-I{SIMULATOR / 'include'}"]
    flags += [f"-I{directory / name}" for name in include]
    flags += [f"-I{SIMULATOR / 'csrc/bind'}", *install.include_flags()]
    return flags if mode == "full" else [*flags, "-DAT_PER_OPERATOR_HEADERS"]


class _Build:
    """The steps of one build: headers first, then everything else in two jobs."""

    def __init__(self, directory: Path, watcher: Watcher) -> None:
        self.directory = directory
        self.watcher = watcher
        self.install = installed()
        self.compiler = host_compiler()
        self.objects = directory / "objects"

    def run(self) -> None:
        sources = [path for path in _sources() if path.suffix == ".cpp"]
        self.watcher.begin(len(sources) + len(PRECOMPILED) + 3, "Building the simulator")
        self.objects.mkdir()
        for name in ("lean", "narrow", "units"):
            shutil.copytree(headers.PACKAGE_HEADERS / name, self.directory / name)
        headers.write(self.install, self.directory)
        self.watcher.done("headers")
        with ThreadPoolExecutor(JOBS) as pool:
            jobs = {pool.submit(self._precompile, mode): f"{mode} headers" for mode in reversed(PRECOMPILED)}
            jobs |= {pool.submit(self._compile, source): source.name for source in _slow_first(sources)}
            self._follow(jobs)
        self._link()
        self.watcher.done(_LIBRARY)
        identifiers.write(self.install, self.directory, PRECOMPILED)
        self.watcher.done("names in PyTorch's headers")
        shutil.rmtree(self.objects)

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
        header = self.directory / "units/grader" / f"{mode}.h"
        flags = _unit_flags(self.directory, self.install, mode)
        listed = ["-MD", "-MF", self.directory / f"{mode}.d"]
        self._run([self.compiler.path, *flags, *listed, "-x", "c++-header", header, "-o", f"{header}.gch"])

    def _compile(self, source: Path) -> None:
        flags = [f"-std={self.install.standard}", *RUNTIME_FLAGS, f"-I{SIMULATOR / 'include'}", f"-I{SIMULATOR / 'csrc'}"]
        flags += [*self.install.include_flags(), f"-isystem{python_include()}"]
        self._run([self.compiler.path, *flags, "-c", source, "-o", self._object(source)])

    def _object(self, source: Path) -> Path:
        return self.objects / ("_".join(source.relative_to(SIMULATOR / "csrc").parts) + ".o")

    def _link(self) -> None:
        objects = [self._object(path) for path in _sources() if path.suffix == ".cpp"]
        libraries = [f"-L{self.install.libraries}", f"-Wl,-rpath,{self.install.libraries}"]
        libraries += ["-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl", "-lpthread"]
        soname = f"-Wl,-soname,{_LIBRARY}"
        self._run([self.compiler.path, "-shared", "-g1", soname, *objects, *libraries, "-o", self.directory / _LIBRARY])

    def _run(self, command: list[str | Path]) -> None:
        ran = run(command, seconds=_STEP_SECONDS)
        if ran.status:
            _raise(ran, command)


def _slow_first(sources: list[Path]) -> list[Path]:
    """Put the units that include PyTorch first, so that no long job is left for the end."""
    return sorted(sources, key=lambda path: "engine" in path.parts)


def _raise(ran: Ran, command: list[str | Path]) -> None:
    if "No space left on device" in ran.output or "File too large" in ran.output:
        raise EnvironmentFault(
            f"The disk that holds {cache.root()} is full. Free 600 MB, or set GRADER_CACHE to a directory on another disk."
        )
    if "virtual memory exhausted" in ran.output or "Killed signal" in ran.output:
        raise EnvironmentFault("The compiler ran out of memory. Building the simulator needs 2 GB that are free.")
    log = cache.root() / "runtime-build.log"
    log.write_text(f"{' '.join(map(str, command))}\n{ran.output}")
    first = next((line for line in ran.output.split("\n") if "error" in line), ran.output[-500:])
    why = "did not finish in time" if ran.timed_out else f"failed: {first.strip()}"
    raise EnvironmentFault(f"Building the simulator {why}. The compiler's whole output is in {log}.")
