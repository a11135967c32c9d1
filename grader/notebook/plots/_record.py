"""`record`: which kernels ran, on which stream, while a block of Python ran."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROFILER_DEFAULT_STREAM = 7
"""The id that CUPTI gives the legacy default stream."""


@dataclass(frozen=True)
class Launch:
    """One kernel that ran.  `start` and `end` are microseconds, or None where only the order is known."""

    kernel: str
    stream: str
    line: int | None = None
    start: float | None = None
    end: float | None = None


@dataclass
class Recording:
    """What `record` saw.  `launches` is filled when the `with` block ends."""

    launches: list[Launch] = field(default_factory=list)

    def on(self, *kernels: str) -> list[Launch]:
        """Return the launches of the kernels whose names contain one of `kernels`, in order."""
        return [launch for launch in self.launches if any(name in launch.kernel for name in kernels)]


@contextmanager
def record() -> Iterator[Recording]:
    """Collect the kernels launched inside the `with` block.

    On `sim` they come from its launch log, in order and without times, on CUDA from PyTorch's profiler.
    The device is synchronised at both ends.
    """
    import torch

    recording = Recording()
    device = torch.accelerator.current_accelerator()
    if device is None:
        raise RuntimeError("record() needs a device: import `device` from grader first")
    watch = _record_cuda if device.type == "cuda" else _record_simulator
    with watch(recording):
        yield recording


@contextmanager
def _record_simulator(recording: Recording) -> Iterator[None]:
    import torch

    from grader import simulator

    torch.accelerator.synchronize()
    simulator.launch_log()
    yield
    torch.accelerator.synchronize()
    recording.launches = [_from_log(entry) for entry in simulator.launch_log()]


def _from_log(entry: Mapping[str, Any]) -> Launch:
    stream = int(entry.get("stream", 0))
    return Launch(str(entry.get("kernel", "?")), stream_name(stream), entry.get("line"))


def stream_name(stream: int, default: int = 0) -> str:
    """Return the words for a stream's number."""
    return "default stream" if stream == default else f"stream {stream}"


@contextmanager
def _record_cuda(recording: Recording) -> Iterator[None]:
    import torch

    torch.accelerator.synchronize()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities, acc_events=True) as profile:
        yield
        torch.accelerator.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(trace))
        recording.launches = from_trace(json.loads(trace.read_text()))


def from_trace(trace: Mapping[str, Any]) -> list[Launch]:
    """Return the kernels of a trace in Chrome's format, in order of start, times from the first start."""
    events = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
    events.sort(key=lambda event: float(event["ts"]))
    zero = float(events[0]["ts"]) if events else 0.0
    return [_from_event(event, zero) for event in events]


def _from_event(event: Mapping[str, Any], zero: float) -> Launch:
    start = float(event["ts"]) - zero
    name = str(event["name"]).split("(")[0]
    stream = stream_name(int(event["args"]["stream"]), PROFILER_DEFAULT_STREAM)
    return Launch(name, stream, None, start, start + float(event["dur"]))
