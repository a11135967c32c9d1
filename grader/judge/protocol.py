"""What judge and worker say to each other: frames of a JSON header and raw tensor bytes, never pickle.

A frame is `!I` header length, the header as UTF-8 JSON, then buffers whose sizes are `header["buffers"]`.
The judge believes nothing that it reads: sizes, types and shapes are checked before a tensor is made of them.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from multiprocessing.connection import Connection
from typing import Any

import torch

MAX_FRAME = 256 << 20
MAX_HEADER = 4 << 20
MAX_BUFFERS = 4096
MAX_DIMENSIONS = 16
_LENGTH = struct.Struct("!I")

DTYPES: dict[str, torch.dtype] = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float32, torch.float64, torch.float16, torch.bfloat16,
        torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool,
    )
}  # fmt: skip


class ProtocolError(Exception):
    """A frame that is not what the protocol allows."""


@dataclass(frozen=True)
class Frame:
    """A JSON header and the tensor buffers that it speaks of."""

    header: dict[str, Any]
    buffers: tuple[memoryview | bytes, ...] = ()


def send(connection: Connection, frame: Frame) -> None:
    """Write one frame."""
    sizes = [memoryview(buffer).nbytes for buffer in frame.buffers]
    header = json.dumps({**frame.header, "buffers": sizes}).encode()
    connection.send_bytes(b"".join((_LENGTH.pack(len(header)), header, *frame.buffers)))


def receive(connection: Connection) -> Frame:
    """Read one frame; raise `ProtocolError` for a malformed one, `EOFError` when the peer has gone."""
    try:
        data = memoryview(connection.recv_bytes(MAX_FRAME))
    except EOFError:
        raise
    except ConnectionError as error:
        raise EOFError(str(error)) from error
    except OSError as error:
        raise ProtocolError(f"unreadable or oversized frame: {error}") from error
    return _parse(data)


def _parse(data: memoryview) -> Frame:
    if len(data) < _LENGTH.size:
        raise ProtocolError("frame without a header")
    (length,) = _LENGTH.unpack(data[: _LENGTH.size])
    end = _LENGTH.size + length
    if length > MAX_HEADER or end > len(data):
        raise ProtocolError("header longer than its frame")
    try:
        header = json.loads(bytes(data[_LENGTH.size : end]))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("header is not JSON") from error
    if not isinstance(header, dict):
        raise ProtocolError("header is not an object")
    return Frame(header, _split(data[end:], header.pop("buffers", None)))


def _split(data: memoryview, sizes: Any) -> tuple[memoryview, ...]:
    sizes = _naturals(sizes)
    ends = list(accumulate(sizes, initial=0))
    if len(sizes) > MAX_BUFFERS or ends[-1] != len(data):
        raise ProtocolError("too many buffers, or sizes that do not add up to the frame")
    return tuple(data[start:end] for start, end in pairwise(ends))


def _naturals(value: Any) -> list[int]:
    if not isinstance(value, list) or not all(type(item) is int and 0 <= item < 1 << 48 for item in value):
        raise ProtocolError("whole numbers expected")
    return value


@dataclass
class Packer:
    """Collects tensors for one frame; `add` returns what stands for the tensor in the header."""

    buffers: list[memoryview | bytes] = field(default_factory=list)

    def add(self, tensor: torch.Tensor) -> dict[str, Any]:
        """Store the tensor's whole storage, so that layout, offset and padding arrive as they are."""
        storage = tensor.untyped_storage()
        raw = torch.empty(0, dtype=torch.uint8).set_(storage)
        self.buffers.append(memoryview(raw.numpy().data).cast("B") if raw.numel() else b"")
        return {
            "dtype": str(tensor.dtype).removeprefix("torch."),
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "offset": tensor.storage_offset(),
            "buffer": len(self.buffers) - 1,
        }


def unpack(spec: Any, buffers: Sequence[memoryview | bytes]) -> torch.Tensor:
    """Return the tensor that a header describes; raise `ProtocolError` if it describes none."""
    dtype, shape, stride, offset, buffer = _fields(spec, len(buffers))
    size = memoryview(buffers[buffer]).nbytes
    reach = offset + 1 + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
    if math.prod(shape) and reach * dtype.itemsize > size:
        raise ProtocolError("tensor reaches beyond its buffer")
    if math.prod(shape) * dtype.itemsize > MAX_FRAME or size % dtype.itemsize:
        raise ProtocolError("tensor too large, or its buffer is cut")
    try:
        if not size:
            return torch.empty(shape, dtype=dtype)
        flat = torch.frombuffer(bytearray(buffers[buffer]), dtype=dtype)
        return flat.as_strided(shape, stride, offset)
    except (RuntimeError, OverflowError) as error:  # sizes whose product no tensor can have
        raise ProtocolError("tensor of impossible sizes") from error


def _fields(spec: Any, buffers: int) -> tuple[torch.dtype, list[int], list[int], int, int]:
    if not isinstance(spec, dict):
        raise ProtocolError("tensor is not described by an object")
    dtype = DTYPES.get(spec["dtype"]) if isinstance(spec.get("dtype"), str) else None
    shape, stride = _naturals(spec.get("shape")), _naturals(spec.get("stride"))
    offset, buffer = _naturals([spec.get("offset"), spec.get("buffer")])
    if dtype is None:
        raise ProtocolError("tensor of an unknown dtype")
    if len(shape) != len(stride) or len(shape) > MAX_DIMENSIONS or buffer >= buffers:
        raise ProtocolError("tensor with inconsistent dimensions")
    return dtype, shape, stride, offset, buffer


@dataclass(frozen=True)
class Placed:
    """A tensor argument that does not go where the step's other tensors go: `cpu`, or the device's index."""

    tensor: torch.Tensor
    on: str


@dataclass(frozen=True)
class Step:
    """One thing to do with the answer: one or more calls, then everything that was seen.

    Every call's tensors are fresh.  Outputs are read after the last call, so that one call's result must
    survive the next.
    """

    target: str
    calls: tuple[tuple[Any, ...], ...]
    device: int = 0
    """Index of the device that holds the tensors and is current."""
    current: int | None = None
    """Index of the device that is current during the calls, where that is another one."""
    streams: tuple[str, ...] = ()
    """For each call the stream that is current: `default`, or any other name for a stream of that name."""
    produce: bool = False
    """Whether the inputs are written by work on the call's own stream, behind the delay on that stream."""
    busy: tuple[str, ...] = ()
    """Streams on which a long delay is queued before anything else."""
    kernels_enabled: bool = True
    order: str = "ascending"
    """In which order the simulator runs blocks and threads: `ascending`, `descending` or `random`."""
    watch: bool = False
    """Whether to record the ATen operators that the calls run."""
    profile: bool = False
    """Whether to record each launch's stream with the profiler on CUDA, and its unique `bytes` on `sim`."""
    capture: bool = False
    """Whether to capture the first call into a graph and replay it with each later call's inputs."""
    measure: bool = False
    """Whether to measure the device memory that earlier steps left behind."""
    compiled: bool = False
    """Whether to call through `torch.compile(fullgraph=True)`; `operators` are then those of its graphs."""
    differentiate: tuple[bool, ...] = ()
    """For each argument of a call whether it requires a gradient."""
    gradient: torch.Tensor | None = None
    """The incoming gradient of the sum of all calls' results."""
    in_place: int | None = None
    """Position among a call's tensors of the one that is its result, where the function returns nothing."""

    def stream_of(self, call: int) -> str:
        """Return the name of the stream that is current during a call."""
        return self.streams[call] if call < len(self.streams) else "default"

    @property
    def in_order(self) -> bool:
        """Whether nothing in this step needs streams that run past each other."""
        return not (self.busy or self.produce or self.capture)


_OPTIONS = (
    "device",
    "current",
    "streams",
    "produce",
    "busy",
    "kernels_enabled",
    "order",
    "watch",
    "profile",
    "capture",
    "measure",
    "compiled",
    "differentiate",
    "in_place",
)


def encode_step(step: Step) -> Frame:
    """Return the request for one step."""
    packer = Packer()
    header = {
        "op": "run",
        "target": step.target,
        "calls": [[_encode(value, packer) for value in call] for call in step.calls],
        "gradient": None if step.gradient is None else packer.add(step.gradient),
    }
    for name in _OPTIONS:
        header[name] = getattr(step, name)
    return Frame(header, tuple(packer.buffers))


def _encode(value: Any, packer: Packer) -> Any:
    if isinstance(value, Placed):
        return {"tensor": packer.add(value.tensor), "on": value.on}
    if isinstance(value, torch.Tensor):
        return {"tensor": packer.add(value)}
    if isinstance(value, (list, tuple)):
        return {"list": [_encode(item, packer) for item in value]}
    return {"value": value}


def decode_step(frame: Frame) -> Step:
    """Return the step of a request, with its tensors on the CPU.  The worker's side of `encode_step`."""
    header = dict(frame.header)
    gradient = header.pop("gradient")
    header.pop("op")
    calls = tuple(tuple(_decode(value, frame.buffers) for value in call) for call in header.pop("calls"))
    for name in ("streams", "busy", "differentiate"):
        header[name] = tuple(header[name])
    incoming = None if gradient is None else unpack(gradient, frame.buffers)
    return Step(calls=calls, gradient=incoming, **header)


def _decode(value: dict[str, Any], buffers: Sequence[memoryview | bytes]) -> Any:
    if "tensor" in value:
        tensor = unpack(value["tensor"], buffers)
        return Placed(tensor, value["on"]) if "on" in value else tensor
    if "list" in value:
        return [_decode(item, buffers) for item in value["list"]]
    return value["value"]
