"""Running a package's setup.py: the build hook that `pip wheel --no-build-isolation --no-deps` calls.

It runs in this process, which has to be one that may be lost: setup.py is the learner's code.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from grader.toolchain.torch_install import cpp_extension
from grader.toolchain.wheels import kit as kits
from grader.toolchain.wheels import standin
from grader.toolchain.wheels.kit import Kit

_OUTPUT = 200_000


@dataclass(frozen=True)
class BuiltWheel:
    """What a build came to: the wheel, or what was said; and the commands that compilers were called with."""

    wheel: Path | None
    output: str
    commands: list[dict[str, Any]] = field(default_factory=list)
    fault: str = ""
    """What is wrong with the compilers themselves, whatever the package."""


def build(files: Mapping[str, str], kit: Kit, directory: Path) -> BuiltWheel:
    """Build a wheel from sources by path, under an empty `directory`."""
    source, tools, wheels = (directory / name for name in (standin.SOURCES, "toolkit", "wheels"))
    for name, text in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    wheels.mkdir()
    variables = kits.write(kit, tools)
    log = directory / "build.log"
    if fault := kits.spoken(tools):
        return BuiltWheel(None, "", fault=fault)
    with _surroundings(source, variables), _output_to(log):
        made = _hook(str(tools), wheels)
    noted = _commands(tools / standin.COMMANDS)
    faults = [str(one["fault"]) for one in noted if "fault" in one]
    return BuiltWheel(made, _tail(log), [one for one in noted if "fault" not in one], "".join(faults[:1]))


def _hook(home: str, wheels: Path) -> Path | None:
    """Call the build hook; what it raises goes to the log."""
    try:
        extension = cpp_extension()
        extension.CUDA_HOME = home
        backend: Any = vars(import_module("setuptools.build_meta"))["__legacy__"]
        return wheels / str(backend.build_wheel(str(wheels)))
    except BaseException:
        traceback.print_exc()
        return None
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()


@contextlib.contextmanager
def _surroundings(source: Path, variables: Mapping[str, str]) -> Iterator[None]:
    before, here = dict(os.environ), os.getcwd()
    os.environ.update(variables)
    for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LDSHARED", "NVCC_APPEND_FLAGS"):
        os.environ.pop(name, None)
    # ninja is found beside the interpreter, where a notebook's kernel need not have it on PATH.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    os.chdir(source)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Send what this process and its children print to a file."""
    kept = [os.dup(number) for number in (1, 2)]
    with log.open("wb") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    streams = sys.stdout, sys.stderr
    sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        for number, old in zip((1, 2), kept, strict=True):
            os.dup2(old, number)
            os.close(old)


def _tail(log: Path) -> str:
    data = log.read_bytes()
    return data[-_OUTPUT:].decode("utf-8", "replace")


def _commands(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]
