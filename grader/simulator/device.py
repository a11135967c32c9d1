"""`torch.sim`: the device module that PyTorch expects of an accelerator."""

from __future__ import annotations

import ctypes
import types
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing import reductions
from torch.utils.backend_registration import (
    generate_methods_for_privateuse1_backend,
    rename_privateuse1_backend,
)

from grader.simulator import opcheck
from grader.simulator.compilation import inductor_part
from grader.simulator.graph import Graph, graph
from grader.simulator.runtime import DEVICES, library

NAME = "sim"
_Device = torch.device | str | int | None


def register() -> None:
    """Name the device `sim` and give PyTorch its module.  Called once, after the library is loaded."""
    rename_privateuse1_backend(NAME)
    torch._register_device_module(NAME, _module())  # type: ignore[no-untyped-call]
    generate_methods_for_privateuse1_backend(for_storage=True)
    library().sim_meet_autograd()
    opcheck.extend(NAME)
    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, _refuse_other_processes)


def _refuse_other_processes(tensor: torch.Tensor) -> Any:
    if tensor.device.type == NAME:
        raise RuntimeError("memory of sim cannot be shared with another process: send tensor.cpu() instead")
    return reductions.reduce_tensor(tensor)  # type: ignore[no-untyped-call]


def is_available() -> bool:
    """Whether the device can be used: always, once the simulator is loaded."""
    return True


def device_count() -> int:
    """Return the number of simulated devices."""
    return DEVICES


def current_device() -> int:
    """Return the index of the device that is current for this thread."""
    return torch.accelerator.current_device_index()


def set_device(device: _Device) -> None:
    """Make a device current for this thread."""
    torch.accelerator.set_device_index(_index(device))


def synchronize(device: _Device = None) -> None:
    """Run everything that waits on the streams of a device."""
    torch.accelerator.synchronize(_index(device))


def current_stream(device: _Device = None) -> torch.Stream:
    """Return the stream that PyTorch's operations on the device go to."""
    return torch.accelerator.current_stream(_index(device))


def default_stream(device: _Device = None) -> torch.Stream:
    """Return the legacy default stream of a device."""
    return torch.Stream(stream_id=0, device_index=_index(device), device_type=_DEVICE_TYPE)


def set_stream(stream: torch.Stream) -> None:
    """Make a stream current for its device."""
    torch.accelerator.set_stream(stream)


@contextmanager
def stream(stream: torch.Stream | None) -> Iterator[None]:
    """Make a stream current inside the body, as `torch.cuda.stream` does; None changes nothing."""
    if stream is None:
        yield
    else:
        with stream:
            yield


def is_current_stream_capturing() -> bool:
    """Whether the current stream records a graph."""
    now = current_stream()
    return bool(library().sim_is_capturing(now.device_index, now.stream_id))


def manual_seed(seed: int) -> None:
    """Seed the random numbers of the current device."""
    library().sim_manual_seed(current_device(), int(seed) % 2**64)


def manual_seed_all(seed: int) -> None:
    """Seed the random numbers of all simulated devices."""
    for index in range(DEVICES):
        library().sim_manual_seed(index, int(seed) % 2**64)


def initial_seed() -> int:
    """Return the seed of the current device's random numbers."""
    return int(library().sim_initial_seed(current_device()))


def get_rng_state(device: _Device = None) -> torch.Tensor:
    """Return the state of a device's random numbers, 16 bytes on the CPU."""
    state = (ctypes.c_uint64 * 2)()
    library().sim_get_rng_state(_index(device), state)
    return torch.frombuffer(bytearray(state), dtype=torch.uint8).clone()


def set_rng_state(state: torch.Tensor, device: _Device = None) -> None:
    """Put a device's random numbers back into a state."""
    words = (ctypes.c_uint64 * 2).from_buffer_copy(bytes(state.tolist()))
    library().sim_set_rng_state(_index(device), words)


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Return the types that autocast may choose."""
    return [torch.float16, torch.bfloat16]


class device:  # noqa: N801 - PyTorch spells it so for every device module
    """Context manager that makes a device current."""

    def __init__(self, device: _Device) -> None:
        """Remember the device."""
        self.idx = _index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        """Make the device current and remember the previous one."""
        self.prev_idx = current_device()
        set_device(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        """Make the previous device current."""
        set_device(self.prev_idx)


_DEVICE_TYPE: int = torch._C._autograd.DeviceType.PrivateUse1.value


def _index(device: _Device) -> int:
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device
    index = torch.device(device).index
    return current_device() if index is None else index


def _module() -> types.ModuleType:
    module = types.ModuleType(f"torch.{NAME}", __doc__)
    for name in _PUBLIC:
        setattr(module, name, globals()[name])
    vars(module).update(
        Stream=torch.Stream,
        Event=torch.Event,
        CUDAGraph=Graph,
        graph=graph,
        __getattr__=inductor_part,
        is_initialized=lambda: True,
        init=lambda: None,
        _lazy_init=lambda: None,
        _is_in_bad_fork=lambda: False,
    )
    return module


_PUBLIC = (
    "is_available",
    "device_count",
    "current_device",
    "set_device",
    "device",
    "synchronize",
    "current_stream",
    "default_stream",
    "set_stream",
    "stream",
    "is_current_stream_capturing",
    "manual_seed",
    "manual_seed_all",
    "initial_seed",
    "get_rng_state",
    "set_rng_state",
    "get_amp_supported_dtype",
)
