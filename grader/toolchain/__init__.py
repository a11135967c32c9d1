"""CUDA source text to a loaded module."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.toolchain.errors import CompileError, EnvironmentFault
from grader.toolchain.progress import Watcher
from grader.toolchain.request import BuildRequest, BuildResult, Diagnostic

__all__ = [
    "BuildRequest",
    "BuildResult",
    "CompileError",
    "Diagnostic",
    "EnvironmentFault",
    "build",
    "device",
    "load",
    "load_inline",
]


def build(request: BuildRequest, progress: Watcher | None = None) -> BuildResult:
    """Build `request` for its device, or find it built; the source's errors are in the result.

    Imports no torch for `sim`.  Raises `EnvironmentFault` if this machine cannot build.
    """
    refusal = request.refusal()
    if refusal is not None:
        return BuildResult(False, diagnostics=[refusal])
    if request.device == "cuda":
        from grader.toolchain.cuda import build as build_cuda

        return build_cuda(request)
    from grader.toolchain.building import build as build_sim

    return build_sim(request, progress)


def load(library: Path, name: str, docs: Mapping[str, str] | None = None) -> ModuleType:
    """Import a library that `build` made as a new module."""
    from grader.toolchain.loading import load as load_module

    return load_module(library, name, docs)


def __getattr__(name: str) -> Any:
    """Give `device` and `load_inline`, which need torch, when they are first used."""
    if name == "load_inline":
        from grader.toolchain.inline import load_inline

        return load_inline
    if name == "device":
        from grader.toolchain.inline import find_device

        return find_device()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
