"""`load_inline` with the arguments of PyTorch's own, and the device that notebooks use."""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from grader import toolchain
from grader.toolchain import loading
from grader.toolchain.errors import CompileError
from grader.toolchain.progress import shown
from grader.toolchain.request import BuildRequest, BuildResult


def find_device() -> torch.device:
    """Return `cuda` where there is one, else `sim`, registered; `GRADER_DEVICE` overrules."""
    wanted = os.environ.get("GRADER_DEVICE", "auto")
    if wanted == "cuda" or (wanted != "sim" and torch.cuda.is_available()):
        return torch.device("cuda")
    from grader.simulator import load_runtime

    with shown() as watcher:
        load_runtime(_runtime_library(watcher))
    return torch.device("sim")


def _runtime_library(watcher: Any) -> Path:
    from grader.toolchain import runtime

    return runtime.ensure(watcher).library


def _signature() -> inspect.Signature:
    """Return the installed PyTorch's signature; `cpp_sources` may be left out."""
    own = inspect.signature(cpp_extension.load_inline)
    parameters = [
        parameter.replace(default="") if parameter.name == "cpp_sources" else parameter
        for parameter in own.parameters.values()
    ]
    return own.replace(parameters=parameters)


def load_inline(*args: Any, **kwargs: Any) -> Any:
    """Build C++ and CUDA sources given as text and return them as a module.

    Takes what `torch.utils.cpp_extension.load_inline` of the installed version takes.  The build is ours;
    on `cuda` it is PyTorch's own where C++ sources hold code, or a source needs pybind11 itself.
    What only `cuda_sources` defines needs no declaration in `cpp_sources`.
    Raises `CompileError` with the first error where it stands.
    """
    bound = _signature().bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    names, docs = function_names(arguments["functions"])
    request = _request(arguments, names, find_device().type)
    if request.device == "cuda":
        from grader.toolchain import cuda, nvcc

        if not nvcc.serves(request):
            return cuda.load_inline(arguments)
    return _load(arguments, request, docs)


load_inline.__signature__ = _signature()  # type: ignore[attr-defined]  # what inspect and editors read


def _load(arguments: dict[str, Any], request: BuildRequest, docs: Mapping[str, str]) -> Any:
    with shown() as watcher:
        result = toolchain.build(request, watcher)
    if arguments["verbose"]:
        _tell(request, result)
    if not result.ok or result.library is None:
        raise CompileError(result.diagnostics, result.output)
    library = _kept_in(arguments["build_directory"], request.name, result.library)
    if not arguments["is_python_module"]:
        operators: Any = torch.ops
        operators.load_library(str(library))
        return str(library)
    return loading.load(library, request.name, docs)


def function_names(functions: Any) -> tuple[list[str] | None, dict[str, str]]:
    """Return the names to bind and their docstrings, from what PyTorch accepts as `functions`."""
    if functions is None:
        return None, {}
    if isinstance(functions, str):
        functions = [functions]
    if isinstance(functions, Mapping):
        return list(functions), {name: str(doc) for name, doc in functions.items()}
    if isinstance(functions, list):
        return list(functions), {}
    raise ValueError(f"Expected 'functions' to be a list or dict, but was {type(functions)}")


def text(sources: Any) -> str:
    """Return sources, one or several, as one text."""
    return sources if isinstance(sources, str) else "\n".join(sources or [])


def _request(arguments: dict[str, Any], names: list[str] | None, device: str) -> BuildRequest:
    for_cuda = list(arguments["extra_cuda_cflags"] or [])
    flags = [*(arguments["extra_cflags"] or []), *for_cuda]
    return BuildRequest(
        name=arguments["name"],
        cuda=text(arguments["cuda_sources"]),
        cpp=text(arguments["cpp_sources"]),
        functions=names,
        device=device,
        file="cuda_sources",
        with_cuda=arguments["with_cuda"] is not False,
        extra_cuda_cflags=for_cuda,
        extra_cflags=[flag for flag in flags if flag.startswith(("-D", "-U", "-I"))],
        extra_ldflags=list(arguments["extra_ldflags"] or []),
        extra_include_paths=[str(path) for path in arguments["extra_include_paths"] or []],
        no_implicit_headers=bool(arguments.get("no_implicit_headers")),
    )


def _tell(request: BuildRequest, result: BuildResult) -> None:
    if result.output:
        print(result.output)
    how = "found in the cache" if result.cached else "built" if result.ok else "failed to build"
    print(f"{request.name}: {how} in {result.seconds:.2f} s ({result.library or 'no library'})")
    for command in result.commands:
        print(f"  {command}")


def _kept_in(directory: str | None, name: str, library: Path) -> Path:
    """Copy the library to the directory that the caller named, if any."""
    if directory is None:
        return library
    place = Path(directory) / name / library.name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(library, place)
    return place
