"""`footprint`: the kernels that a call launches and the bytes that they move, counted where the tensors are.

Operators are seen below autograd, as the device gets them. Each reads its tensors once and writes its results
once: what a cache saves or a bad access pattern adds is not in these numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.notebook.plots import record

_ALLOCATING = frozenset(
    {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_"}
)
_FILLING = frozenset({"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"})
"""They take a tensor for its form, and read none of its elements."""
_HOST = frozenset({"_local_scalar_dense", "item", "is_pinned", "record_stream"})
_OWN = "your kernel"


@dataclass(frozen=True)
class Moved:
    """One operation, and the bytes that it reads and writes."""

    operation: str
    read: int
    written: int


@dataclass(frozen=True)
class Footprint:
    """What one call did.  `launches` is what the device saw: kernels on CUDA, one an operation on `sim`."""

    moved: tuple[Moved, ...]
    launches: int

    @property
    def bytes(self) -> int:
        """All bytes read and written."""
        return sum(one.read + one.written for one in self.moved)

    def __str__(self) -> str:
        """Return a table, one line an operation."""
        lines = [f"{'operation':<16} {'MB read':>9} {'MB written':>11}"]
        lines += [
            f"{one.operation:<16} {one.read / 1e6:9.2f} {one.written / 1e6:11.2f}" for one in self.moved
        ]
        plural = "" if self.launches == 1 else "s"
        return "\n".join([*lines, f"{self.launches} kernel{plural}, {self.bytes / 1e6:.2f} MB moved"])

    __repr__ = __str__


def footprint(function: Callable[..., Any], *inputs: Any) -> Footprint:
    """Call `function` and return what that moved.

    The kernels that a call launches itself are one operation that reads the inputs and writes the result. On
    CUDA operators launch kernels as well, so there it is counted only where no operator computes.
    """
    log = _Log()
    with record() as recording, log:
        result = function(*inputs)
    own = len(recording.launches)
    mixed = _where(inputs).type == "cuda"
    launches = own if mixed else own + len(log.moved)
    if own and not (mixed and log.moved):
        read = sum(_extent(tensor) for tensor in _distinct(_tensors(inputs)))
        written = sum(_extent(tensor) for tensor in _tensors((result,)))
        log.moved.append(Moved(_OWN, read, written))
    return Footprint(tuple(log.moved), launches)


class _Log(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes every operator that computes or copies; what allocates or describes memory moves nothing."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.moved: list[Moved] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Shielding from the compiler would import it: 800 modules, seconds.
        return False

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        name = str(function.name()).removeprefix("aten::").split(".")[0]
        if name not in _ALLOCATING | _HOST:
            self._note(name, function, [*args, *(kwargs or {}).values()], result)
        return result

    def _note(self, name: str, function: Any, arguments: list[Any], result: Any) -> None:
        taken, given = _tensors(arguments), _tensors((result,))
        storages = {tensor.untyped_storage().data_ptr() for tensor in taken}
        views = all(tensor.untyped_storage().data_ptr() in storages for tensor in given)
        if taken and given and views and not function._schema.is_mutable:
            return
        written = sum(_extent(tensor) for tensor in _distinct(given))
        if name in _FILLING:
            taken = []
        targets = {tensor.data_ptr() for tensor in given} if name in ("copy_", "fill_", "zero_") else set()
        sources = [tensor for tensor in taken if tensor.data_ptr() not in targets]
        self.moved.append(Moved(name.strip("_"), sum(_extent(one) for one in _distinct(sources)), written))


def _tensors(values: Any) -> list[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        return [values]
    return [one for value in values for one in _tensors(value)] if isinstance(values, (list, tuple)) else []


def _distinct(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return each piece of memory once: `x + x` reads x once."""
    return list({(one.data_ptr(), one.shape, one.stride()): one for one in tensors}.values())


def _extent(tensor: torch.Tensor) -> int:
    """Return the bytes that a tensor's elements take in memory; those of an expanded one lie in one place."""
    numel = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        numel *= size if stride or not size else 1
    return numel * tensor.element_size()


def _where(inputs: tuple[Any, ...]) -> torch.device:
    return next((tensor.device for tensor in _tensors(inputs)), torch.device("cpu"))
