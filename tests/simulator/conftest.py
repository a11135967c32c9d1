"""The device, loaded once, and each test's reports read away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def _loaded() -> None:
    from grader import simulator

    simulator.load_runtime()


@pytest.fixture
def sim(_loaded: None) -> Iterator[ModuleType]:
    """The simulator, idle and with empty logs before and after the test."""
    import torch

    from grader import simulator

    def clear() -> None:
        for device in range(2):
            torch.accelerator.synchronize(device)
        torch.accelerator.set_device_index(0)
        simulator.reports()
        simulator.launch_log()
        simulator.dispatch_log()

    clear()
    yield simulator
    clear()


@pytest.fixture(scope="session")
def compiled(_loaded: None) -> Callable[..., ModuleType]:
    """Build and load CUDA source as a learner's unit; the same text is built once."""
    from grader.toolchain import BuildRequest, build, load

    modules: dict[str, ModuleType] = {}

    def make(cuda: str, **options: Any) -> ModuleType:
        if cuda not in modules:
            result = build(BuildRequest("unit", cuda, **options))
            assert result.ok, "\n".join(map(str, result.diagnostics))
            assert result.library
            modules[cuda] = load(result.library, "unit")
        return modules[cuda]

    return make
