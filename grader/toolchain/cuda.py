"""Building for CUDA in a directory and under a lock of our own: lean, or by PyTorch's own `load_inline`."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.toolchain import (
    binding,
    cache,
    growing,
    machine_faults,
    nvcc,
    registration,
    runtime,
    toolkit,
    units,
)
from grader.toolchain.compiler import standard_library
from grader.toolchain.diagnostics import told
from grader.toolchain.errors import CompileError, EnvironmentFault
from grader.toolchain.locks import locked
from grader.toolchain.request import BuildRequest, BuildResult, Diagnostic
from grader.toolchain.toolkit import Toolkit
from grader.toolchain.torch_install import cpp_extension
from grader.toolchain.units import Source
from grader.verdict import Place

_MACHINE = (
    (
        r"CUDA_HOME environment variable is not set",
        "nvcc was not found. Install the CUDA toolkit, or set CUDA_HOME.",
    ),
    (r"Ninja is required", "ninja is not installed. Install it: pip install ninja"),
    (r"nvcc.*(?:not found|No such file)", "nvcc was not found. Install the CUDA toolkit, or set CUDA_HOME."),
    (r"unsupported GNU version", "This nvcc does not accept this g++. Set CXX to an older one."),
    (
        r"The detected CUDA version \([^)]*\) mismatches the version",
        "nvcc's version does not fit PyTorch's. Set CUDA_HOME to the fitting one.",
    ),
)


def build(request: BuildRequest) -> BuildResult:
    """Build a request with nvcc, or find it built.  Loads nothing of the learner's."""
    started = time.monotonic()
    kit = toolkit.find()
    source = Source.read(request.cuda, request.file, request.first_line)
    if not source.text.strip():
        return BuildResult(
            False, diagnostics=[Diagnostic("error", "the source is empty: write a host function")]
        )
    offered = [function.name for function in source.translation.offered]
    names = offered if request.functions is None else request.functions
    place = cache.root() / "cuda" / _key(request, names, kit)
    with cache.writing(cache.root()), locked(cache.lock_path(place.name)):
        result = _kept(place, names) or _make(request, source, place, names)
    return replace(result, seconds=time.monotonic() - started)


def load_inline(arguments: dict[str, Any]) -> Any:
    """Call PyTorch's `load_inline`; a compile error comes back as `CompileError`."""
    from grader.toolchain.inline import function_names, text

    toolkit.locate()
    names, _ = function_names(arguments["functions"])
    source = Source.read(text(arguments["cuda_sources"]), "cuda_sources", 1)
    cpp = text(arguments["cpp_sources"])
    given = {
        **arguments,
        "cpp_sources": [cpp, *_declarations(source, names or [], cpp)],
        "cuda_sources": [_named(source)] if source.text else None,
        "extra_ldflags": [standard_library(), *(arguments["extra_ldflags"] or [])],
    }
    parts = [repr(sorted(given.items(), key=lambda item: item[0])), *toolkit.environment()]
    place = cache.root() / "cuda" / cache.key(parts)
    place.mkdir(parents=True, exist_ok=True)
    with locked(cache.lock_path(place.name)):
        if given["build_directory"] is None:
            given["build_directory"] = str(place)
            (place / "lock").unlink(missing_ok=True)
        try:
            return _torch_load_inline(given)
        except RuntimeError as error:
            raise CompileError(_diagnostics(str(error), source), str(error)) from None


def _declarations(source: Source, names: list[str], cpp: str) -> list[str]:
    """Declare for the binding file what only the CUDA text defines."""
    wanted = [f for f in source.translation.defined if f.name in names]
    return [f"{f.signature()};" for f in wanted if not re.search(rf"\b{f.name}\s*\(", cpp)]


def _named(source: Source) -> str:
    return f'#line {source.first_line} "{source.file}"\n{source.text}'


def _arguments(request: BuildRequest, source: Source, names: list[str]) -> dict[str, Any]:
    return {
        "name": re.sub(r"\W", "_", request.name) or "kernels",
        "cpp_sources": [request.cpp, *_declarations(source, names, request.cpp)],
        "cuda_sources": [_named(source)],
        "functions": names,
        "extra_cflags": request.extra_cflags,
        "extra_cuda_cflags": ["-lineinfo", *request.extra_cuda_cflags],
        "extra_ldflags": [standard_library(), *request.extra_ldflags],
        "extra_include_paths": request.extra_include_paths,
        "with_cuda": request.with_cuda,
        "no_implicit_headers": request.no_implicit_headers,
    }


def _key(request: BuildRequest, names: list[str], kit: Toolkit) -> str:
    modules = (binding, growing, nvcc, registration, toolkit, units)
    parts = [
        *(Path(str(module.__file__)).read_text() for module in modules),
        Path(__file__).read_text(),
        runtime.headers_key(),
        repr(replace(request, functions=names)),
        repr(kit),
        *toolkit.environment(),
    ]
    return cache.key(parts)


def _kept(place: Path, names: list[str]) -> BuildResult | None:
    if not (place / "complete").exists():
        return None
    libraries = list(place.glob("*.so"))
    cache.used(place)
    return BuildResult(True, libraries[0], names, cached=True) if libraries else None


def _make(request: BuildRequest, source: Source, place: Path, names: list[str]) -> BuildResult:
    with cache.scratch(place.parent) as directory:
        result = nvcc.build(request, source, names, directory) if nvcc.serves(request) else None
        if result is None:
            result = _by_torch(request, source, names, directory)
        if result.library is None:
            _check_machine(result)
            return result
        for path in directory.iterdir():
            if path != result.library:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        (directory / "complete").touch()
        cache.publish(directory, place)
    cache.prune(place.parent)
    return replace(result, library=place / result.library.name)


def _by_torch(request: BuildRequest, source: Source, names: list[str], directory: Path) -> BuildResult:
    arguments = {**_arguments(request, source, names), "build_directory": str(directory)}
    toolkit.locate()
    with _path_instead_of_module():
        try:
            return BuildResult(True, Path(_torch_load_inline(arguments)), names)
        except (RuntimeError, OSError) as error:
            return BuildResult(False, diagnostics=_diagnostics(str(error), source), output=str(error))


@contextmanager
def _path_instead_of_module() -> Iterator[None]:
    """Have PyTorch return where the library is: a build process must not run the learner's initialisers."""
    extension = cpp_extension()
    own = extension._import_module_from_library
    extension._import_module_from_library = lambda name, path, *_: str(Path(path) / f"{name}.so")
    try:
        yield
    finally:
        extension._import_module_from_library = own


def _torch_load_inline(arguments: dict[str, Any]) -> Any:
    return cpp_extension().load_inline(**arguments)


def _check_machine(result: BuildResult) -> None:
    """Raise `EnvironmentFault` for what no source can bring about: an error at a line of it is its own."""
    machine_faults.check(result.output)
    if any(diagnostic.place for diagnostic in result.diagnostics if diagnostic.severity == "error"):
        return
    for pattern, message in _MACHINE:
        if re.search(pattern, result.output):
            raise EnvironmentFault(message)


def _diagnostics(output: str, source: Source) -> list[Diagnostic]:
    def locate(file: str, line: int, column: int | None) -> Place | None:
        return source.place(line, column) if file == source.file else None

    return told(output, locate)
