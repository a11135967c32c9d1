"""What a worker's reply says, checked field by field before any check looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.judge.protocol import Frame, ProtocolError, unpack
from grader.judge.reported import reported

_MAX_TEXT = 4000
_MAX_ENTRIES = 100_000


class Buffers:
    """A reply's buffers, each of which holds one tensor's elements in order.

    One that could be asked for again, or stretched by strides of 0, would let a small reply fill the judge's
    memory.
    """

    def __init__(self, buffers: Sequence[memoryview | bytes]) -> None:
        """Take the buffers; none is used yet."""
        self._buffers = buffers
        self._used: set[int] = set()

    def tensor(self, described: Any) -> torch.Tensor:
        """Return the tensor that a reply describes; raise `ProtocolError` unless a buffer is all its own."""
        tensor = unpack(described, self._buffers)
        index = described["buffer"]
        exact = tensor.numel() * tensor.itemsize == memoryview(self._buffers[index]).nbytes
        if index in self._used or not exact or not tensor.is_contiguous():
            raise ProtocolError("a tensor with a buffer to itself expected")
        self._used.add(index)
        return tensor


LOST = "worker lost"
"""Stands for the type of an exception where loading gave no result at all."""


@dataclass(frozen=True)
class ErrorSeen:
    """An exception in the answer.

    `phase` is `call`, `backward` or `finish` (a fault surfaced later); while loading, the module's name:
    `kernels` or `answer`.
    """

    phase: str
    call: int
    type: str
    message: str
    line: int | None = None

    @property
    def is_device_fault(self) -> bool:
        """Whether a kernel failed, and not the answer's host code: such a fault stays with its process."""
        return self.phase != "call" or "CUDA error" in self.message


@dataclass(frozen=True)
class OutputSeen:
    """One result.  `values` is dense, or None when the device could not be read any more."""

    values: torch.Tensor | None
    device: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class CallSeen:
    """One call's results, and the whole storages of its inputs afterwards."""

    structure: str
    outputs: tuple[OutputSeen, ...]
    early: tuple[torch.Tensor | None, ...]
    inputs: tuple[torch.Tensor | None, ...]
    parts: tuple[OutputSeen, ...] = ()
    """The results one by one, where an exercise has several and `outputs` holds them as one."""


@dataclass(frozen=True)
class Observation:
    """Everything seen of one step."""

    error: ErrorSeen | None
    calls: tuple[CallSeen, ...]
    gradients: tuple[torch.Tensor | None, ...] = ()
    gradient_after: torch.Tensor | None = None
    reports: tuple[dict[str, Any], ...] = ()
    launches: tuple[dict[str, Any], ...] = ()
    operators: tuple[str, ...] = ()
    """What the calls ran on their own thread, on whatever device."""
    device_operators: tuple[str, ...] = ()
    """What the device ran in the whole step, for any thread, with the copies that results are read by."""
    device_after: int = 0
    """Index of the device that was current after the last call."""
    bytes_before: int = 0
    """Device memory in use before the step, which earlier steps left behind."""


@dataclass(frozen=True)
class OperatorSeen:
    """What came of PyTorch's tests of an operator: by name nothing, or what is wrong.

    `shape`, `stride` and `dtype` are what the fake kernel promises for the same arguments.
    """

    error: ErrorSeen | None
    tests: tuple[tuple[str, str], ...]
    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    dtype: str = ""


@dataclass(frozen=True)
class Foreign:
    """A value that is neither a whole number nor a dict: its type's name."""

    type: str


@dataclass(frozen=True)
class ValueSeen:
    """What a Python answer gave: an exception, or a whole number, a dict of such, or something `Foreign`."""

    error: ErrorSeen | None
    value: Any = None


def parse_value(frame: Frame) -> ValueSeen:
    """Return the value in a reply; raise `ProtocolError` for anything odd."""
    if "broken" in frame.header:
        raise ProtocolError(f"the worker could not answer: {text(frame.header['broken'])}")
    error = parse_error(frame.header.get("error"))
    return ValueSeen(error, None if error else _value(frame.header.get("value"), nested=True))


def _value(described: Any, nested: bool) -> Any:
    value = _object(described)
    kind = text(value.get("type"))
    if kind == "int" and type(value.get("value")) is int:
        return value["value"]
    if kind != "dict" or "items" not in value or not nested:
        return Foreign(kind)
    pairs = [_list(pair) for pair in _list(value["items"])]
    if not all(len(pair) == 2 for pair in pairs):
        raise ProtocolError("pairs expected")
    return {text(name): _value(item, nested=False) for name, item in pairs}


def parse(frame: Frame, calls: int) -> Observation:
    """Return the observation in the reply to `calls` calls; raise `ProtocolError` for anything odd."""
    header, buffers = frame.header, Buffers(frame.buffers)
    if "broken" in header:
        raise ProtocolError(f"the worker could not do the step: {text(header['broken'])}")
    seen = tuple(_call(item, buffers) for item in _list(header.get("calls")))
    if len(seen) != calls:
        raise ProtocolError("wrong number of calls in the reply")
    return Observation(
        error=parse_error(header.get("error")),
        calls=seen,
        gradients=tuple(_tensor(item, buffers) for item in _list(header.get("gradients"))),
        gradient_after=_tensor(header.get("gradient_after"), buffers),
        reports=tuple(reported(item) for item in _list(header.get("reports"))),
        launches=tuple(reported(item) for item in _list(header.get("launches"))),
        operators=tuple(text(item) for item in _list(header.get("operators"))),
        device_operators=tuple(text(item) for item in _list(header.get("device_operators", []))),
        device_after=_natural(header.get("device_after")),
        bytes_before=_natural(header.get("bytes_before")),
    )


def parse_operator(frame: Frame) -> OperatorSeen:
    """Return what tests of an operator said; raise `ProtocolError` for anything odd."""
    header = frame.header
    if "broken" in header:
        raise ProtocolError(f"the worker could not run the tests: {text(header['broken'])}")
    pairs = [_list(pair) for pair in _list(header.get("tests"))]
    if not all(len(pair) == 2 for pair in pairs):
        raise ProtocolError("pairs expected")
    fake = _object(header.get("fake"))
    return OperatorSeen(
        parse_error(header.get("error")),
        tuple((text(name), text(said)) for name, said in pairs),
        tuple(_natural(size) for size in _list(fake.get("shape"))),
        tuple(_natural(step) for step in _list(fake.get("stride"))),
        text(fake.get("dtype")),
    )


def parse_error(value: Any) -> ErrorSeen | None:
    """Return the described exception, or None for null."""
    if value is None:
        return None
    error = _object(value)
    line, call = error.get("line"), error.get("call", 0)
    if not (line is None or type(line) is int) or type(call) is not int:
        raise ProtocolError("error with an odd line or call")
    return ErrorSeen(
        text(error.get("phase")), call, text(error.get("type")), text(error.get("message")), line
    )


def text(value: Any) -> str:
    """Return a string of bounded length."""
    if not isinstance(value, str):
        raise ProtocolError("text expected")
    return value[:_MAX_TEXT]


def _call(value: Any, buffers: Buffers) -> CallSeen:
    call = _object(value)
    return CallSeen(
        structure=text(call.get("structure")),
        outputs=tuple(_output(item, buffers) for item in _list(call.get("outputs"))),
        early=tuple(_tensor(item, buffers) for item in _list(call.get("early"))),
        inputs=tuple(_tensor(item, buffers) for item in _list(call.get("inputs"))),
    )


def _output(value: Any, buffers: Buffers) -> OutputSeen:
    output = _object(value)
    aliases = tuple(text(item) for item in _list(output.get("aliases")))
    return OutputSeen(_tensor(output.get("data"), buffers), text(output.get("device")), aliases)


def _tensor(value: Any, buffers: Buffers) -> torch.Tensor | None:
    return None if value is None else buffers.tensor(value)


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ProtocolError("whole number expected")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MAX_ENTRIES:
        raise ProtocolError("list expected")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ProtocolError("object expected")
    return value
