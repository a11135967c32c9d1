"""One unit compiled by nvcc with the lean headers and our own binding: a tenth of what PyTorch's takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from grader.toolchain import binding, growing, loading, registration, runtime, toolkit, units
from grader.toolchain.compiler import host_compiler, run, standard_library
from grader.toolchain.diagnostics import told
from grader.toolchain.frontend import HostFunction
from grader.toolchain.request import BuildRequest, BuildResult
from grader.toolchain.runtime import Runtime
from grader.toolchain.toolkit import Toolkit
from grader.toolchain.units import Source
from grader.verdict import Place

LIBRARY = loading.CUDA_LIBRARY
WALL_SECONDS = 400.0
_OBJECT = "unit.o"
_CODE = re.compile(r"[{#]")


def serves(request: BuildRequest) -> bool:
    """Whether a request is one unit without pybind11; the rest is for PyTorch's own `load_inline`."""
    return (
        not request.exact
        and request.with_cuda
        and bool(request.cuda.strip())
        and not _CODE.search(request.cpp)
        and units.first_mode(request.cuda) != "full"
    )


def build(request: BuildRequest, source: Source, names: list[str], directory: Path) -> BuildResult | None:
    """Compile and link into `directory`; None if only PyTorch's own headers can serve the source."""
    unit = _Unit(request, source, names, runtime.ensure(), toolkit.find())
    return _grown(unit, lambda mode: unit.attempt(mode, directory))


def compiles(text: str, directory: Path, kit: Toolkit) -> BuildResult:
    """Say whether nvcc takes a learner's text: for device and host, nothing linked and no GPU needed."""
    source = Source.read(text, "cell", 1)
    names = [function.name for function in source.translation.offered]
    request = BuildRequest("kernels", text, device="cuda", file="cell")
    unit = _Unit(request, source, names, runtime.ensure(), kit)
    result = _grown(unit, lambda mode: unit.compiled(mode, directory))
    return result or unit.compiled("full", directory)


def _grown(unit: _Unit, attempt: Callable[[str], BuildResult]) -> BuildResult | None:
    """Attempt with more and more headers; None if only PyTorch's own are left."""
    mode = unit.first_mode()
    while mode != "full":
        result = attempt(mode)
        further = None if result.ok else growing.further(unit.runtime, [unit.source], mode, result)
        if further is None:
            return result
        mode = further
    return None


class _Unit:
    """A learner's text with what nvcc has to be told about it."""

    def __init__(
        self, request: BuildRequest, source: Source, names: list[str], found: Runtime, kit: Toolkit
    ) -> None:
        self.request, self.source, self.names, self.runtime, self.kit = request, source, names, found, kit
        self.operators, self.lists = units.operators(source, found.install)

    def first_mode(self) -> str:
        """Return the least headers that may serve: `lean`, `wide` or `full`."""
        mode = units.first_mode(self.source.text)
        return "wide" if self.lists and mode == "lean" else mode

    def attempt(self, mode: str, directory: Path) -> BuildResult:
        """Compile and link with these headers."""
        result, library = self.compiled(mode, directory), directory / LIBRARY
        if not result.ok:
            return result
        return self._ran(self._link_command(directory / _OBJECT, library), result.commands, library)

    def compiled(self, mode: str, directory: Path) -> BuildResult:
        """Compile with these headers, and link nothing."""
        text = directory / "unit.cu"
        text.write_text(self.text(mode), encoding="utf-8", errors="surrogateescape")
        return self._ran(self._compile_command(text, directory / _OBJECT), [], None)

    def text(self, mode: str) -> str:
        """Return the unit: includes, the learner's text in its own lines, and the table of functions."""
        if mode == "full":
            return f'#line {self.source.first_line} "{self.source.file}"\n{self.source.text}'
        paths = units.includes(self.source.text, self.operators, mode, self.runtime.headers)
        functions = {f.name: f for f in self.source.translation.defined}
        bound = [functions.get(name) or HostFunction(name, "", (), 0) for name in self.names]
        lines = [f"#include <{path}>" for path in (f"grader/{mode}.h", *paths)]
        registers = registration.is_named(self.source.text)
        lines += [registration.DEFERRED] if registers else []
        lines.append(f'#line {self.source.first_line} "{self.source.file}"')
        required = self.request.functions is not None
        table = binding.table(bound, required, loading.SYMBOLS[0])
        table += registration.table(loading.SYMBOLS[0]) if registers else ""
        return "\n".join([*lines, self.source.text, f'#line 1 "{binding.FILE}"', table])

    def _compile_command(self, text: Path, target: Path) -> list[str]:
        request, headers, kit = self.request, self.runtime.headers, self.kit
        include = [headers / name for name in ("generated", "units", "lean", "narrow")]
        include += [headers / "simulator/csrc/bind", *map(Path, request.extra_include_paths)]
        flags = [f"-std={self.runtime.install.standard}", f"-DTORCH_EXTENSION_NAME={request.name}"]
        flags += ["-DTORCH_API_INCLUDE_EXTENSION_H", "-DAT_PER_OPERATOR_HEADERS", "-lineinfo"]
        flags += ["--compiler-options", "-fPIC,-w", "-ccbin", host_compiler().path]
        flags += [*kit.architectures_beside(request.extra_cuda_cflags), *request.extra_cuda_cflags]
        # Ours stand before PyTorch's, which are system headers.
        flags += [*(f"-I{path}" for path in include), *kit.flags]
        return [kit.nvcc, *flags, "-c", str(text), "-o", str(target)]

    def _link_command(self, compiled: Path, library: Path) -> list[str]:
        libraries = [f"-L{self.runtime.directory}", f"-l:{runtime.BINDING}", *self.kit.link_flags]
        flags = ["-shared", str(compiled), standard_library(), *libraries, *self.request.extra_ldflags]
        return [host_compiler().path, *flags, "-o", str(library)]

    def _ran(self, command: list[str], before: list[str], library: Path | None) -> BuildResult:
        ran, commands = run(command, seconds=WALL_SECONDS), [*before, " ".join(command)]
        if not ran.status:
            return BuildResult(True, library, self.names, commands=commands)
        diagnostics = told(ran.output, self._locate)
        return BuildResult(False, diagnostics=diagnostics, output=ran.output, commands=commands)

    def _locate(self, file: str, line: int, column: int | None) -> Place | None:
        if file == binding.FILE:
            return self.source.end()
        return self.source.place(line, column) if file == self.source.file else None
