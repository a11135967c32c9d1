"""What a worker needs of a device beyond PyTorch: delays, poison, and evidence of launches and faults."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import torch

_DELAY_CYCLES = 100_000_000
"""About 50 ms on a current GPU: longer than the call that must not run ahead."""
_GRID_SECONDS = 5.0
"""How long one launch may take on the simulator: less than the judge waits, so that the place is reported."""

_MAPPED_BYTES = 32 << 20
"""The least size that the engine poisons by mapping a file (`kPoisonFile` in memory.cpp)."""


class Device(Protocol):
    """A kind of device that answers run on."""

    kind: str

    def prepare(self) -> None:
        """Load what the nursery can load before it forks."""

    def begin_worker(self, crash: int, in_order: bool) -> None:
        """Prepare a freshly forked worker.

        `crash` is a descriptor for reports that outlive a crash; `in_order` asks that each launch ends
        before the host goes on.
        """

    def before_seal(self) -> None:
        """Take what a sealed worker may not take any more."""

    def begin(self, kernels_enabled: bool, eager: bool, order: str) -> None:
        """Forget older errors and logs.

        `eager` asks for the order in which work was submitted, `order` for one of blocks and threads.
        """

    def stall(self, stream: torch.Stream) -> None:
        """Queue a long delay."""

    def poison(self, sizes: list[int], streams: list[torch.Stream]) -> None:
        """Make sure that memory of these sizes in bytes, when allocated next, holds NaN."""

    def evidence(self) -> dict[str, Any]:
        """Return reports and launches since `begin`."""

    def operators(self) -> list[str]:
        """Return the operators that the device itself ran since `begin`, in whatever thread."""

    def bytes_in_use(self) -> int:
        """Return the live device memory."""

    def profiled(self, enabled: bool, launches: list[dict[str, Any]]) -> Any:
        """Return a context that appends each launch's stream, or what it moved, to `launches`."""

    def captured(self) -> AbstractContextManager[Callable[[], None]]:
        """Return a context whose body is captured on a stream of its own; it gives the replay."""


class SimDevice:
    """The simulator.  Fresh memory is poisoned and streams hold their work back without our doing."""

    kind = "sim"

    def prepare(self) -> None:
        """Load the runtime and register the device."""
        from grader import simulator

        simulator.load_runtime()

    def begin_worker(self, crash: int, in_order: bool) -> None:
        """Have reports written to the descriptor when host code crashes, and give up endless kernels."""
        from grader import simulator

        simulator.set_crash_fd(crash)
        simulator.set_grid_seconds(_GRID_SECONDS)

    def before_seal(self) -> None:
        """Have the engine make its file of poison, which large allocations are mapped from."""
        torch.empty(_MAPPED_BYTES, dtype=torch.uint8, device="sim")

    def begin(self, kernels_enabled: bool, eager: bool, order: str) -> None:
        """Clear logs, and make kernels do nothing if asked."""
        from grader import simulator

        simulator.set_eager(eager)
        simulator.set_kernels_enabled(kernels_enabled)
        simulator.set_order(order)
        simulator.reports()
        simulator.launch_log()
        simulator.dispatch_log()

    def stall(self, stream: torch.Stream) -> None:
        """Do nothing: a stream's work waits until something forces it."""

    def poison(self, sizes: list[int], streams: list[torch.Stream]) -> None:
        """Do nothing: the engine poisons each allocation."""

    def evidence(self) -> dict[str, Any]:
        """Return what the engine collected, with source lines."""
        from grader import simulator
        from grader.simulator import symbols

        reports = symbols.resolve(simulator.reports())
        return {"reports": reports, "launches": simulator.launch_log()}

    def operators(self) -> list[str]:
        """Return what the engine noted: it sees every thread, whatever keys are excluded there."""
        from grader import simulator

        return simulator.dispatch_log()

    def bytes_in_use(self) -> int:
        """Return the live device memory, whoever took it."""
        from grader import simulator

        return sum(int(device["bytes_in_use"]) for device in simulator.memory()["devices"])

    @contextmanager
    def profiled(self, enabled: bool, launches: list[dict[str, Any]]) -> Iterator[None]:
        """Count the bytes of each argument that kernels read and write, each byte once a launch."""
        if not enabled:
            yield
            return
        from grader import simulator

        with simulator.count_traffic() as traffic:
            yield
        moved = ({"bytes": row["bytes"], "access": row["access"]} for row in traffic.unique)
        launches += [*traffic.launches, *moved]

    @contextmanager
    def captured(self) -> Iterator[Callable[[], None]]:
        """Capture with the simulator's graph."""
        from grader import simulator

        graph = simulator.Graph()
        with simulator.capture(graph):
            yield graph.replay


class CudaDevice:
    """A GPU.  Nothing here initialises CUDA before a worker has been forked."""

    kind = "cuda"

    def prepare(self) -> None:
        """Find the binding library, which a confined worker could not.  CUDA must not be initialised yet."""
        from grader.toolchain import loading

        loading.binder(loading.CUDA_LIBRARY)

    def begin_worker(self, crash: int, in_order: bool) -> None:
        """Say how CUDA is to launch; it initialises itself when it is first used, and reads that then."""
        if in_order:
            os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

    def before_seal(self) -> None:
        """Do nothing: what a GPU's driver needs stays allowed."""

    def begin(self, kernels_enabled: bool, eager: bool, order: str) -> None:
        """Let an older launch error surface here and not at the answer's call."""
        if not kernels_enabled:
            raise RuntimeError("kernels can be disabled on the simulator only")
        try:
            torch.zeros(1, device="cuda").add_(1)
        except RuntimeError:
            torch.zeros(1, device="cuda")

    def stall(self, stream: torch.Stream) -> None:
        """Keep the stream busy for some 50 ms."""
        with stream:
            torch.cuda._sleep(_DELAY_CYCLES)  # type: ignore[no-untyped-call]

    def poison(self, sizes: list[int], streams: list[torch.Stream]) -> None:
        """Fill the caching allocator's blocks of these sizes with NaN, in each stream's pool."""
        for stream in streams:
            with stream:
                blocks = [torch.full((size,), 255, dtype=torch.uint8, device="cuda") for size in sizes * 4]
                del blocks
        torch.cuda.synchronize()

    def evidence(self) -> dict[str, Any]:
        """Return nothing: a GPU reports faults as errors."""
        return {"reports": [], "launches": []}

    def operators(self) -> list[str]:
        """Return nothing: `policy` takes its evidence from the simulator."""
        return []

    def bytes_in_use(self) -> int:
        """Return what PyTorch's allocator has handed out."""
        return torch.cuda.memory_allocated()

    @contextmanager
    def profiled(self, enabled: bool, launches: list[dict[str, Any]]) -> Iterator[None]:
        """Record kernels, copies and fills with the profiler's stream ids (the legacy stream is 7)."""
        if not enabled:
            yield
            return
        activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities) as profiler:
            yield
            torch.cuda.synchronize()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            profiler.export_chrome_trace(path)
            with open(path) as file:
                launches += _device_events(json.load(file))

    @contextmanager
    def captured(self) -> Iterator[Callable[[], None]]:
        """Capture with PyTorch's graph."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            yield graph.replay


def _device_events(trace: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {"kernel", "gpu_memcpy", "gpu_memset"}
    events = [event for event in trace["traceEvents"] if event.get("cat") in kinds]
    events.sort(key=lambda event: float(event["ts"]))
    return [{"kernel": event["name"], "stream": event["args"].get("stream")} for event in events]


def device_of(kind: str) -> Device:
    """Return the device named `sim` or `cuda`."""
    return SimDevice() if kind == "sim" else CudaDevice()
