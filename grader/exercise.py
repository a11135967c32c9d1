"""What an exercise declares: one object holds all that the course knows about it.

The judge, the release, the notebook and the tests read it; nothing about an exercise stands anywhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from grader.checks.base import Check

Value = Any
"""An argument of a call: a tensor, a number or a list of tensors."""


@dataclass(frozen=True)
class Cuda:
    """The answer is CUDA C++: one `%%cuda` cell or one file that defines `function`."""

    function: str
    signature: str
    """As the exercise fixes it, for messages: `torch::Tensor f(torch::Tensor x)`."""

    @property
    def entry(self) -> str:
        """What the judge calls, as the worker names it."""
        return f"kernels.{self.function}"

    @property
    def called(self) -> str:
        """The entry's name, for messages."""
        return self.function

    needs_cuda, needs_python = True, False
    python_signature = ""


@dataclass(frozen=True)
class CudaAndPython:
    """The answer is CUDA C++ that defines `function`, and Python that defines `python_function`."""

    function: str
    signature: str
    python_function: str
    python_signature: str

    @property
    def entry(self) -> str:
        """What the judge calls, as the worker names it."""
        return f"answer.{self.python_function}"

    @property
    def called(self) -> str:
        """The entry's name, for messages."""
        return self.python_function

    needs_cuda, needs_python = True, True


@dataclass(frozen=True)
class Operator:
    """The answer is CUDA C++ that registers an operator with PyTorch, and Python that completes it."""

    operator: str
    """Its qualified name: `course::add_relu`."""
    schema: str
    """What the CUDA cell defines, for messages: `course::add_relu(Tensor a, Tensor b) -> Tensor`."""

    @property
    def entry(self) -> str:
        """What the judge calls, as the worker names it."""
        return f"ops.{self.operator}"

    @property
    def called(self) -> str:
        """The operator's name, for messages."""
        return self.operator

    @property
    def signature(self) -> str:
        """What messages show as expected."""
        return self.schema

    python_signature = signature

    function = ""
    needs_cuda, needs_python = True, True


@dataclass(frozen=True)
class Files:
    """The answer is a small source tree that builds into a wheel, whose extension module has `exported`."""

    paths: tuple[str, ...]
    """The files, relative to the package's folder, in the order of their cells."""
    module: str
    """The extension module: `myops._C`."""
    exported: str
    signature: str
    """As the module offers it, for messages: `myops._C.add_relu(a, b)`."""
    may_be_empty: tuple[str, ...] = ()
    """Files that are an attempt without holding anything."""

    @property
    def entry(self) -> str:
        """What the judge calls, as the worker names it."""
        return f"package.{self.exported}"

    @property
    def called(self) -> str:
        """The entry's name, for messages."""
        return f"{self.module}.{self.exported}"

    @property
    def python_signature(self) -> str:
        """How it is called from Python."""
        return self.signature

    function = ""
    needs_cuda, needs_python = False, False


@dataclass(frozen=True)
class Python:
    """The answer is Python alone: a cell or a file that defines functions of whole numbers, or dicts of them.

    The exercise's `inputs` give the numbers, and its `reference` a dict from each name to what is right.
    """

    signatures: tuple[str, ...]
    """What it defines, as messages show it: `f(n)` for a function, `counts` for a dict."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it defines."""
        return tuple(signature.split("(")[0] for signature in self.signatures)

    @property
    def signature(self) -> str:
        """All that it defines, for messages."""
        return ", ".join(one if "(" in one else f"{one}: dict" for one in self.signatures)

    python_signature = signature

    @property
    def entry(self) -> str:
        """What the judge looks at first, as the worker names it."""
        return f"answer.{self.names[0]}"

    @property
    def called(self) -> str:
        """How messages name it."""
        return self.names[0]

    function = ""
    needs_cuda, needs_python = False, True


@dataclass(frozen=True)
class Case:
    """One kind of input: a shape, how it lies in memory, and the type of its elements."""

    name: str
    shape: tuple[int, ...]
    layout: str = "dense"
    """A key of `LAYOUTS`, or one for each tensor, separated by commas."""
    dtype: torch.dtype = torch.float32

    def layout_of(self, position: int) -> str:
        """Return the layout of the tensor argument at `position`."""
        layouts = self.layout.split(",")
        return layouts[min(position, len(layouts) - 1)]


@dataclass(frozen=True)
class Result:
    """One of several tensors that a call returns, in the order of the tuple."""

    name: str
    dtype: torch.dtype


@dataclass(frozen=True)
class Exercise:
    """One exercise.  `points` is the sum of the points of its checks."""

    id: str
    lesson: str
    points: int
    answer: Cuda | CudaAndPython | Operator | Python | Files
    inputs: Callable[[Case, Draw], tuple[Value, ...]]
    """Fresh arguments for a case, on the CPU, with the case's layouts.  None for an answer that is a dict."""
    reference: Callable[..., Any]
    """The result for float64 arguments, by PyTorch on the CPU; for `Python` a dict from name to value."""
    cases: tuple[Case, ...]
    checks: tuple[Check, ...]
    hints: tuple[str, ...] = ()
    ulps: float = 4.0
    """Allowed distance from the reference, in units of the result type's last place."""
    magnitude: Callable[..., Any] | None = None
    """For float64 arguments, what those units are the last place of; by default the result itself.

    For sums, `half_the_additions(n) * sum(abs(x))`: no order of adding has a larger error than one such unit.
    """
    parameters: tuple[str, ...] = field(default=())
    """Names of the arguments, for messages."""
    in_place: int | None = None
    """Position among the tensors of the one that a call changes: its result, where nothing is returned."""
    results: tuple[Result, ...] = ()
    """What a call returns, where that is a tuple; `reference` and `magnitude` give one tensor for each.

    They are compared end to end, as one float32 vector: each has its own magnitude, and `ulps` is common.
    """

    @property
    def differentiable(self) -> bool:
        """Whether the answer has gradients: the exercise asks for a gradcheck."""
        return any(check.name == "gradcheck" for check in self.checks)

    @property
    def structure(self) -> str:
        """What a call gives, in the worker's words: one tensor, several, or a tensor changed in place."""
        if self.results:
            return "tuple"
        return "tensor" if self.in_place is None else "in place"

    def result_dtype(self, case: Case) -> torch.dtype:
        """Return the type of what is compared: the case's, or float32 for several results end to end."""
        return torch.float32 if self.results else case.dtype

    def __post_init__(self) -> None:
        """Refuse a declaration whose points do not add up."""
        total = sum(check.points for check in self.checks)
        if total != self.points:
            raise ValueError(f"{self.id}: points={self.points}, but the checks' points add up to {total}")


def half_the_additions(terms: int) -> float:
    """Return how often eps * sum(abs(x)) bounds the error of adding `terms` numbers, in whatever order.

    Each of the n - 1 additions rounds by at most eps / 2 of a partial sum (Higham, Accuracy and Stability of
    Numerical Algorithms, 4.2); one more is for rounding the terms themselves.
    """
    return max(terms, 1) / 2


_EXACT = 2.0**24
"""Whole numbers whose absolute values add up to no more are added exactly in float32, in every order."""


def odd_numbers(values: torch.Tensor) -> torch.Tensor:
    """Return odd whole numbers from 1 to 49 for normal values: none can go missing from a sum unseen."""
    return (values * 8).round().abs().clamp_max(24) * 2 + 1


def bound_of_sums(total: torch.Tensor, terms: torch.Tensor, fractions: torch.Tensor) -> torch.Tensor:
    """Return what bounds the error of float32 sums in any order: nothing where float32 adds exactly.

    `total` holds the sums of absolute values, `terms` how many numbers each adds, `fractions` how many of
    these are not whole.
    """
    exact = (fractions == 0) & (total <= _EXACT)
    return torch.where(exact, 0.0, terms.double().clamp_min(1) * half_the_additions(1) * total)


class Draw:
    """Random tensors for one case, decided by the seed and the case alone."""

    def __init__(self, seed: int, *labels: str) -> None:
        """Derive the stream of random numbers from `seed` and `labels`."""
        digest = hashlib.sha256(repr((seed, labels)).encode()).digest()
        self._generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "little") >> 1)

    def normal(
        self, shape: Sequence[int], *, layout: str = "dense", dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Return values around zero with spread, so that no constant comes near."""
        values = torch.randn(tuple(shape), generator=self._generator, dtype=torch.float64) * 2
        return laid_out(values.to(dtype), layout)

    def uniform(self, low: float, high: float) -> float:
        """Return one number between `low` and `high`."""
        return low + (high - low) * float(torch.rand((), generator=self._generator, dtype=torch.float64))

    def integer(self, low: int, high: int) -> int:
        """Return one whole number, `low` and `high` included."""
        return int(torch.randint(low, high + 1, (), generator=self._generator))


def _dense(values: torch.Tensor) -> torch.Tensor:
    return values.clone(memory_format=torch.contiguous_format)


def _transposed(values: torch.Tensor) -> torch.Tensor:
    return values.transpose(0, -1).contiguous().transpose(0, -1)


def _offset(values: torch.Tensor) -> torch.Tensor:
    """Lie behind seven foreign elements in a larger storage: contiguous, not at its start."""
    storage = _padding(values, values.numel() + 11)
    view = storage[7 : 7 + values.numel()].view(values.shape)
    view.copy_(values)
    return view


def _strided(values: torch.Tensor) -> torch.Tensor:
    """Take every second element along the last dimension."""
    wide = _padding(values, values.numel() * 2).view(*values.shape[:-1], values.shape[-1] * 2)
    view = wide[..., ::2]
    view.copy_(values)
    return view


def _window(values: torch.Tensor) -> torch.Tensor:
    """Be the middle columns of a wider tensor: rows do not follow one another."""
    columns = values.shape[-1]
    wide = _padding(values, values.numel() // columns * (columns + 8)).view(*values.shape[:-1], columns + 8)
    view = wide[..., 3 : 3 + columns]
    view.copy_(values)
    return view


def _expanded(values: torch.Tensor) -> torch.Tensor:
    """Repeat the first row with stride 0."""
    return values[:1].clone().expand(values.shape)


def _constant(values: torch.Tensor) -> torch.Tensor:
    """Repeat one element everywhere, as the gradient of `sum` does."""
    return values.reshape(-1)[:1].clone()[0].expand(values.shape)


def _channels_last(values: torch.Tensor) -> torch.Tensor:
    return values.contiguous(memory_format=torch.channels_last)


def _padding(values: torch.Tensor, numel: int) -> torch.Tensor:
    """Return storage that holds NaN wherever the view does not look (or the largest integer)."""
    fill = float("nan") if values.dtype.is_floating_point else torch.iinfo(values.dtype).max
    return torch.full((numel,), fill, dtype=values.dtype)


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "dense": _dense,
    "transposed": _transposed,
    "offset": _offset,
    "strided": _strided,
    "window": _window,
    "expanded": _expanded,
    "constant": _constant,
    "channels_last": _channels_last,
}
"""How a tensor lies in memory.  Each function keeps the values, except `expanded` (repeats the first row) and
`constant` (repeats the first element)."""


def laid_out(values: torch.Tensor, layout: str) -> torch.Tensor:
    """Return `values` in fresh memory with the named layout."""
    return LAYOUTS[layout](values)
