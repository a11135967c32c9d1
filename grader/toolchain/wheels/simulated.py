"""nvcc and c++ for the simulator: what the stand-ins do on `sim`.

A `.cu` is translated and compiled like a cell, a `.cpp` gets the same headers, in which `sim` answers to
CUDA's names, and the link names the simulator in place of CUDA's libraries.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.toolchain import building, growing, units
from grader.toolchain.compiler import Ran, run, standard_library
from grader.toolchain.diagnostics import told
from grader.toolchain.plan import Plan
from grader.toolchain.request import BuildRequest, BuildResult
from grader.toolchain.torch_install import installed, python_include
from grader.toolchain.units import Source
from grader.toolchain.wheels.kit import Kit
from grader.toolchain.wheels.standin import SOURCES, note

_SECONDS = 400.0
_CUDA_LIBRARIES = ("-lcudart", "-lc10_cuda", "-ltorch_cuda", "-lcublas", "-lcurand")
_NAMED = "TORCH_EXTENSION_NAME="
_PYBIND = "#include <torch/csrc/utils/pybind.h>\n"
_NVCC_ONLY = re.compile(r"^(-lineinfo|-gencode|--expt-|--generate-line-info|-use_fast_math|--use_fast_math)")


def act(
    settings: dict[str, Any], directory: Path, tool: str, words: Sequence[str], source: str | None
) -> int:
    """Do what a compiler would; `source` is the file to compile, where that is asked for."""
    kit = Kit(**settings)
    if source is not None:
        return _compiled(kit, directory, Path(source), words, tool)
    if tool == "nvcc":
        return _nvcc_asked(words)
    return _linked(kit, words) if "-shared" in words else _passed_on(kit, words)


def _nvcc_asked(words: Sequence[str]) -> int:
    """Answer what PyTorch asks of nvcc beside compiling."""
    if "--version" in words or "-V" in words:
        print(f"Cuda compilation tools, release {installed().cuda or '13.0'}, for the simulator")
        return 0
    print(f"nvcc for the simulator compiles single files alone: {shlex.join(words)}", file=sys.stderr)
    return 1


def _passed_on(kit: Kit, words: Sequence[str]) -> int:
    return _end(run([kit.compiler, *words], seconds=_SECONDS))


def _end(ran: Ran) -> int:
    sys.stdout.write(ran.output)
    return ran.status


def _needed(include: Path) -> int:
    """Return the C++ standard that PyTorch's headers insist on, as they say themselves."""
    header = include / "torch/csrc/api/include/torch/all.h"
    found = re.search(r"#error C\+\+(\d+) or later", header.read_text() if header.exists() else "")
    return int(found[1]) if found else 17


def _year(standard: str) -> int:
    """Return a C++ standard's year since 2000: c++2a and c++20 are one."""
    draft = {"0x": 11, "1y": 14, "1z": 17, "2a": 20, "2b": 23}
    name = standard[-2:]
    return draft[name] if name in draft else int(name) if name.isdigit() else 99


def _read(words: Sequence[str]) -> argparse.Namespace:
    """Return the options that matter here; whatever else a compiler knows is passed over."""
    parser = argparse.ArgumentParser(prog="c++", add_help=False, allow_abbrev=False)
    parser.add_argument("-o", "--output-file", dest="target")
    parser.add_argument("-MF", "--dependency-output", dest="dependencies")
    parser.add_argument("-std", dest="standard")
    for letter, name in (("I", "include"), ("D", "define"), ("U", "undefine")):
        parser.add_argument(f"-{letter}", dest=name, action="append", default=[])
    return parser.parse_known_args(words)[0]


def _compiled(kit: Kit, directory: Path, source: Path, words: Sequence[str], tool: str) -> int:
    """Compile one file for the simulator, with the least headers that serve."""
    options = _read(words)
    target = Path(options.target or source.with_suffix(".o").name)
    if tool != "nvcc" and (wrong := [word for word in words if _NVCC_ONLY.match(word)]):
        print(f"c++: error: unrecognized command-line option '{wrong[0]}'")
        return 1
    unit = _Unit(kit, directory.parent / SOURCES, source, options, words if tool == "nvcc" else ())
    if unit.missing:
        note(directory, {"missing": unit.missing})
        print(f"{source}: needs a GPU: the simulator has no {unit.missing[0]['construct']}")
        return 1
    output = unit.compiled(target)
    if output is not None:
        print(output)
        return 1
    if options.dependencies:
        # What ninja reads: the object depends on its source, in a build that is done once.
        Path(options.dependencies).write_text(f"{target}: {source}\n")
    return 0


class _Unit:
    """One file, as the toolchain's own builds see it."""

    def __init__(
        self, kit: Kit, root: Path, source: Path, options: argparse.Namespace, for_nvcc: Sequence[str]
    ) -> None:
        text = source.read_text(encoding="utf-8", errors="surrogateescape")
        defined = dict.fromkeys(options.define)
        named = [one for one in defined if one.startswith(_NAMED)]
        defines = [f"-D{one}" for one in defined if one not in named]
        request = BuildRequest(
            name=named[0].removeprefix(_NAMED) if named else "_C",
            cuda=text,
            functions=[],
            file=os.path.relpath(source, root),
            extra_cflags=[*defines, *(f"-U{one}" for one in options.undefine)],
            extra_cuda_cflags=list(for_nvcc),
            extra_include_paths=_own_folders(root, [str(source.parent), *options.include]),
        )
        self.source = Source.read(text, request.file, 1)
        self.plan = Plan(request, [self.source], kit.loaded_runtime())
        lacking = self.source.translation.missing
        self.standard = options.standard
        self.missing = [{"construct": one.construct, "line": one.line} for one in lacking]

    def compiled(self, target: Path) -> str | None:
        """Compile; return the compiler's output if nothing helped."""
        needed = _needed(self.plan.runtime.install.include)
        if self.standard and _year(self.standard) < needed:
            return (
                f"{self.source.file}:1: error: PyTorch needs C++{needed} or later, not -std={self.standard}"
            )
        faults = self.source.faults(self.plan.request.extra_cuda_cflags)
        if faults:
            place = faults[0].place
            return f"{self.source.file}:{place.line if place else 1}: error: {faults[0].message}"
        binds = "PYBIND11" in self.source.text or "pybind11" in self.source.text
        mode = "wide" if self.plan.mode == "full" and binds else self.plan.mode
        while True:
            output = self._attempt(mode, target, binds)
            if output is None:
                return None
            result = BuildResult(False, diagnostics=told(output, self.plan.locate), output=output)
            further = growing.further(self.plan.runtime, [self.source], mode, result)
            if binds and mode == "wide":
                further = "full"
            if further is None:
                return output
            mode = further

    def _attempt(self, mode: str, target: Path, binds: bool) -> str | None:
        include = [f"-isystem{python_include()}"] if binds or mode == "full" else []
        head = _PYBIND if binds and mode != "full" else ""
        plan, source = self.plan, self.source
        paths = units.includes(source.text, plan.operators[source.file], mode, plan.runtime.headers)
        text = head + units.shipped(source, paths, plan.request.extra_cuda_cflags)
        return building.compiled_unit(plan, source, text, mode, target, include)


def _own_folders(root: Path, folders: Sequence[str]) -> list[str]:
    """Return the include directories that are the package's own: PyTorch's and CUDA's are given anyway."""
    return [str(one) for one in map(Path, folders) if one.resolve().is_relative_to(root.resolve())]


def _linked(kit: Kit, words: Sequence[str]) -> int:
    """Link against the simulator in place of CUDA's libraries."""
    found = kit.loaded_runtime()
    kept = [word for word in words if word not in _CUDA_LIBRARIES and not word.startswith("-Wl,-O")]
    objects = [word for word in kept if word.endswith(".o")]
    rest = [word for word in kept if word not in objects and word != "-shared"]
    command = [
        kit.compiler,
        *building.LINK,
        *objects,
        standard_library(),
        f"-L{found.directory}",
        f"-Wl,-rpath,{found.directory}",
        "-lgrader_sim",
        *rest,
    ]
    return _end(run(command, seconds=_SECONDS))
