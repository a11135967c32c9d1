"""The `sim` device: CUDA's execution model on the CPU, for PyTorch.

`load_runtime()` makes `torch.device("sim")` known.  What the simulator observed is read with `reports()`,
`launch_log()` and `dispatch_log()`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.simulator.runtime import (
    SimulatorError,
    dispatch_log,
    is_loaded,
    last_error,
    launch_log,
    load_library,
    memory,
    reports,
    set_crash_fd,
    set_eager,
    set_grid_seconds,
    set_kernels_enabled,
    set_order,
    set_seed,
)

__all__ = [
    "SimulatorError",
    "count_traffic",
    "dispatch_log",
    "is_loaded",
    "last_error",
    "launch_log",
    "load_runtime",
    "memory",
    "reports",
    "set_crash_fd",
    "set_eager",
    "set_grid_seconds",
    "set_kernels_enabled",
    "set_order",
    "set_seed",
]


def load_runtime(path: Path | str | None = None) -> None:
    """Load the simulator into this process and register the device `sim`; later calls do nothing.

    `path` is `libgrader_sim.so`.  Without it the toolchain builds the library, or finds it built.
    """
    if is_loaded():
        return
    import torch  # noqa: F401 - the library links against it, and it must be loaded first

    load_library(Path(path) if path is not None else _built_library())
    from grader.simulator.device import register

    register()


def count_traffic() -> Any:
    """Return a context in which the traffic of kernels is counted: `with count_traffic() as traffic`."""
    from grader.simulator.traffic import traffic

    return traffic()


def _built_library() -> Path:
    # The toolchain builds this package's C++, so the dependency runs the other way at run time only.
    from grader.toolchain import runtime

    return runtime.ensure().library


def __getattr__(name: str) -> Any:
    """Import `Graph` and `capture` when they are asked for, because they need torch."""
    if name in ("Graph", "capture"):
        from grader.simulator.graph import Graph, graph

        return Graph if name == "Graph" else graph
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
