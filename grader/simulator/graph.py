"""Stream capture and replay: `torch.sim.CUDAGraph` and `torch.sim.graph`, used as those of `torch.cuda`.

Code for both devices says `torch.get_device_module(device).CUDAGraph()`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from grader.simulator.runtime import SimulatorError, check, library


class Graph:
    """The work of one or more streams, recorded once and replayed at will.

    A replay uses the pointers and the by-value arguments of the capture; random numbers are new in each.
    Memory that PyTorch allocated while capturing belongs to the graph until `reset`.
    """

    def __init__(self) -> None:
        """Make an empty graph."""
        self._handle: int | None = None
        self._stream: torch.Stream | None = None

    def capture_begin(self, pool: object = None, capture_error_mode: str = "global") -> None:
        """Record what is submitted to the current stream instead of running it.

        Streams that wait for it join the capture.  Raises if the current stream is the default stream.
        """
        _check_options(pool, capture_error_mode)
        stream = torch.accelerator.current_stream()
        check(library().sim_begin_capture(stream.device_index, stream.stream_id))
        self._stream = stream

    def capture_end(self) -> None:
        """End the recording.  Raises if the capture is invalid or a fork of it was not joined."""
        stream, self._stream = self._stream, None
        if stream is None:
            raise SimulatorError("capture_end without capture_begin")
        handle = ctypes.c_void_p()
        check(library().sim_end_capture(stream.device_index, stream.stream_id, ctypes.byref(handle)))
        self.reset()
        self._handle = handle.value

    def _give_up(self) -> None:
        """End the recording and forget it."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        handle = ctypes.c_void_p()
        library().sim_end_capture(stream.device_index, stream.stream_id, ctypes.byref(handle))
        self._handle = handle.value
        self.reset()

    def replay(self) -> None:
        """Submit the recorded work to the current stream."""
        stream = torch.accelerator.current_stream()
        check(library().sim_replay(self._captured(), stream.device_index, stream.stream_id))

    def reset(self) -> None:
        """Forget the recorded work and free the memory that belongs to it."""
        handle, self._handle = self._handle, None
        if handle is not None:
            library().sim_destroy_graph(ctypes.c_void_p(handle))

    def __len__(self) -> int:
        """Return the number of recorded tasks."""
        return int(library().sim_graph_nodes(self._captured()))

    def __del__(self) -> None:
        """Free the graph's memory."""
        self.reset()

    def _captured(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise SimulatorError("the graph holds no work: capture first")
        return ctypes.c_void_p(self._handle)


@contextmanager
def graph(
    cuda_graph: Graph,
    pool: object = None,
    stream: torch.Stream | None = None,
    capture_error_mode: str = "global",
) -> Iterator[None]:
    """Capture the body into a graph, on `stream` or a fresh one, behind all that the device has to do."""
    torch.accelerator.synchronize()
    with stream or torch.Stream(device="sim"):
        cuda_graph.capture_begin(pool, capture_error_mode)
        try:
            yield
        except BaseException:
            cuda_graph._give_up()
            raise
        cuda_graph.capture_end()


def _check_options(pool: object, capture_error_mode: str) -> None:
    if pool is not None:
        raise SimulatorError("graphs of the simulator share no memory: leave `pool` out")
    if capture_error_mode != "global":
        raise SimulatorError("the simulator has capture_error_mode 'global' only, the strictest")
