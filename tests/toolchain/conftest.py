"""One runtime for all tests that compile, in the cache that the user's own builds share."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from grader.toolchain import BuildRequest, BuildResult, build, load
from grader.toolchain.runtime import Runtime, ensure

Loader = Callable[..., ModuleType]


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    """Return the runtime of this machine, built if need be."""
    return ensure()


@pytest.fixture(scope="session")
def built(runtime: Runtime) -> Callable[..., BuildResult]:
    """Return a function that builds a source for the simulator."""

    def run(cuda: str, **options: object) -> BuildResult:
        return build(BuildRequest(name="kernels", cuda=cuda, **options))  # type: ignore[arg-type]

    return run


@pytest.fixture(scope="session")
def loaded(built: Callable[..., BuildResult]) -> Loader:
    """Return a function that builds a source, which must succeed, and loads it."""

    def run(cuda: str, **options: object) -> ModuleType:
        result = built(cuda, **options)
        assert result.ok, result.output or result.diagnostics
        assert result.library is not None
        return load(result.library, "kernels")

    return run
