"""The simulator's shared library, loaded, and what it observed."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

DEVICES = 2
_library: ctypes.CDLL | None = None


class SimulatorError(RuntimeError):
    """The simulator refused a call."""


def load_library(path: Path) -> ctypes.CDLL:
    """Load `libgrader_sim.so` for this process; a second call returns the first one's library."""
    global _library
    if _library is None:
        _library = _declared(ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL))
    return _library


def library() -> ctypes.CDLL:
    """Return the loaded library."""
    if _library is None:
        raise SimulatorError("the simulator is not loaded: call grader.simulator.load_runtime() first")
    return _library


def is_loaded() -> bool:
    """Whether this process has the simulator."""
    return _library is not None


def reports() -> list[dict[str, Any]]:
    """Return what was wrong since the last call, in the form of `docs/architecture.md`, seam 3."""
    return _list("sim_reports")


def launch_log() -> list[dict[str, Any]]:
    """Return the kernel launches since the last call: kernel, line, stream, current stream, configuration."""
    return _list("sim_launch_log")


def dispatch_log() -> list[str]:
    """Return the names of the ATen operators that ran on the device since the last call."""
    return _list("sim_dispatch_log")


def memory() -> dict[str, Any]:
    """Return live allocations and bytes for each device, and the number of tasks that have not run."""
    return dict(json.loads(_text("sim_memory")))


def traffic_log() -> dict[str, Any]:
    """Return what was counted since the last call while traffic was counted (`grader.simulator.traffic`)."""
    return dict(json.loads(_text("sim_traffic")))


def last_error() -> dict[str, Any]:
    """Return and clear CUDA's last error: `error` (its number), `name` and `cause`; a sticky one stays."""
    return dict(json.loads(_text("sim_last_error")))


def set_kernels_enabled(enabled: bool) -> None:
    """Make every later kernel launch a no-op, or not: launch evidence."""
    check(library().sim_set_kernels_enabled(int(enabled)))


def set_seed(seed: int) -> None:
    """Seed the random order of blocks and threads."""
    check(library().sim_set_seed(ctypes.c_uint64(seed % 2**64)))


def set_order(order: str) -> None:
    """Run blocks and threads in `ascending`, `descending` or `random` order."""
    check(library().sim_set_order(order.encode()), f"no such order: {order}")


def set_eager(eager: bool) -> None:
    """Run submitted work at once, as an idle GPU does, or hold it until an edge forces it (the default).

    Reports are the same: races are judged by what orders the work and not by when it ran.
    """
    check(library().sim_set_eager(int(eager)))


def set_grid_seconds(seconds: float) -> None:
    """Give up a grid that runs longer than this, as a launch time-out."""
    check(library().sim_set_grid_seconds(ctypes.c_double(seconds)))


def set_crash_fd(fd: int) -> None:
    """Write the reports to this file descriptor when the learner's host code crashes the process."""
    check(library().sim_set_crash_fd(fd))


def check(error: int, message: str = "") -> None:
    """Raise for a CUDA error number that is not success."""
    if error == 0:
        return
    detail = last_error()
    raise SimulatorError(message or f"CUDA error: {detail['name']} ({error}). {detail['cause']}".strip())


def _list(function: str) -> list[Any]:
    return list(json.loads(_text(function)))


def _text(function: str) -> str:
    call = getattr(library(), function)
    buffer = ctypes.create_string_buffer(1 << 14)
    while (needed := call(buffer, len(buffer))) > len(buffer):
        buffer = ctypes.create_string_buffer(needed)
    return buffer.value.decode()


def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    texts = (
        "sim_reports",
        "sim_launch_log",
        "sim_dispatch_log",
        "sim_memory",
        "sim_last_error",
        "sim_traffic",
    )
    for name in texts:
        getattr(lib, name).argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        getattr(lib, name).restype = ctypes.c_size_t
    lib.sim_set_seed.argtypes = [ctypes.c_uint64]
    lib.sim_set_grid_seconds.argtypes = [ctypes.c_double]
    lib.sim_manual_seed.argtypes = [ctypes.c_int, ctypes.c_uint64]
    lib.sim_initial_seed.argtypes = [ctypes.c_int]
    lib.sim_initial_seed.restype = ctypes.c_uint64
    for name in ("sim_get_rng_state", "sim_set_rng_state"):
        getattr(lib, name).argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_uint64)]
        getattr(lib, name).restype = None
    lib.sim_begin_capture.argtypes = [ctypes.c_int, ctypes.c_int64]
    lib.sim_is_capturing.argtypes = [ctypes.c_int, ctypes.c_int64]
    lib.sim_end_capture.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p)]
    lib.sim_replay.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int64]
    lib.sim_graph_nodes.argtypes = [ctypes.c_void_p]
    lib.sim_graph_nodes.restype = ctypes.c_int64
    lib.sim_destroy_graph.argtypes = [ctypes.c_void_p]
    lib.sim_destroy_graph.restype = None
    lib.sim_meet_autograd.restype = None
    return lib
