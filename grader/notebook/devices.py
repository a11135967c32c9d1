"""What a lesson asks of a device that PyTorch has no one name for: memory in use, and calls as graphs.

The same on `sim` and on CUDA.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


def memory_allocated() -> int:
    """Return the bytes that PyTorch's tensors take on the current device, when all pending work is done.

    Memory that cudaMalloc gave is not in it.
    """
    torch.accelerator.synchronize()
    if torch.accelerator.current_accelerator().type == "cuda":  # type: ignore[union-attr]
        return torch.cuda.memory_allocated()
    from grader import simulator

    device = simulator.memory()["devices"][torch.accelerator.current_device_index()]
    return int(device["bytes_in_use"])


@dataclass(frozen=True)
class Graph:
    """A call recorded on a stream of its own.  `result` is the memory that each replay writes again."""

    result: Any
    replay: Callable[[], None]


def captured(function: Callable[..., Any], *arguments: Any) -> Graph:
    """Call `function` once while a graph is captured: nothing runs, all work is recorded.

    Raises if the function waits for the device, or leaves a stream that it forked unjoined.
    """
    if torch.accelerator.current_accelerator().type == "cuda":  # type: ignore[union-attr]
        recording = torch.cuda.CUDAGraph()
        torch.accelerator.synchronize()
        with torch.cuda.graph(recording):
            result = function(*arguments)
        return Graph(result, recording.replay)
    from grader import simulator

    graph = simulator.Graph()
    with simulator.capture(graph):
        result = function(*arguments)
    return Graph(result, graph.replay)
