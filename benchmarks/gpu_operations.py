"""The operations whose model answers are timed on a GPU: what they compute, move and are compared with."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 4096
DEVICE = "cuda"
TIMED = 40
"""Calls whose median stands in the table."""
Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Operation:
    """One row of the table for each size.  A size is the bytes of its first argument."""

    name: str
    exercise: str
    lesson: str
    arguments: Callable[[int], Arguments]
    composed: Callable[..., Any]
    """The same by PyTorch's operators: run eagerly, and compiled."""
    moved: Callable[[Arguments], int]
    """Least bytes: every argument read once, every result written once."""
    backward: bool = False
    """Whether backward is timed, with the forward done before."""
    in_place: bool = False

    def sources(self) -> dict[str, tuple[str, str]]:
        """Return CUDA and Python of the plain form, which the lesson teaches, and of the fast form."""
        folder = ROOT / "tests" / "submissions" / self.exercise
        fast = folder / "right__fast_form.cu"
        python = fast.with_suffix(".py")
        return {
            "plain": (_cell(self.lesson, f"%%cuda {self.exercise}"), self._python()),
            "fast": (fast.read_text(encoding="utf-8"), python.read_text() if python.exists() else ""),
        }

    def _python(self) -> str:
        return _cell(self.lesson, f"# answer: {self.exercise}") if self.exercise.endswith("_function") else ""

    @property
    def function(self) -> str:
        """The function's name in either form."""
        return self.exercise.removesuffix("_function")


def _cell(lesson: str, first_line: str) -> str:
    """Return a model answer from its lesson; no jupytext on a GPU node."""
    text = (ROOT / "solutions" / f"{lesson}.md").read_text(encoding="utf-8")
    found = re.search(rf"^```\{{code-cell\}}[^\n]*\n{re.escape(first_line)}\n(.*?)^```", text, re.M | re.S)
    if found is None:
        raise LookupError(f"{lesson} has no cell that begins with {first_line!r}")
    return found[1]


def _matrix(size: int) -> torch.Tensor:
    return torch.randn(size // 4 // COLUMNS, COLUMNS, device=DEVICE)


def _two(size: int) -> Arguments:
    return _matrix(size), _matrix(size)


def _scaled(size: int) -> Arguments:
    x = _matrix(size)
    return x, torch.rand(len(x), device=DEVICE) * 0.02 + 0.99


def _normed(size: int) -> Arguments:
    x = _matrix(size)
    weight, bias = torch.randn(2, COLUMNS, device=DEVICE).unbind()
    return x.requires_grad_(), weight.clone().requires_grad_(), bias.clone().requires_grad_(), 1e-6


def _segmented(size: int) -> Arguments:
    """Rows of 128 columns in segments of 0 to some hundreds of rows, 64 on average."""
    values = torch.randn(size // 4 // 128, 128, device=DEVICE)
    segments = len(values) // 64
    cuts = torch.randint(0, len(values) + 1, (segments - 1,), device=DEVICE).sort().values
    ends = torch.tensor([0, len(values)], device=DEVICE)
    return values, torch.cat([ends[:1], cuts, ends[1:]])


def norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """Return silu(x * rsqrt(mean(x^2) + eps) * weight + bias)."""
    return functional.silu(x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight + bias)


def segments_added(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return the sum of each segment."""
    return torch.segment_reduce(values, "sum", offsets=offsets, axis=0)


def quantized(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows in eight bits and their scales."""
    scale = x.abs().amax(1) / torch.full((), 127.0, device=x.device)
    q = torch.where(scale[:, None] > 0, x / scale[:, None], 0.0).round().to(torch.int8)
    return q, scale


def _bytes(*tensors: torch.Tensor) -> int:
    return sum(one.numel() * one.element_size() for one in tensors)


OPERATIONS = (
    Operation(
        "add_relu", "add_relu", "02_load_inline", _two,
        lambda a, b: torch.relu(a + b), lambda arguments: 3 * _bytes(arguments[0]),
    ),
    Operation(
        "leaky_relu", "leaky_relu", "02_load_inline", lambda size: (_matrix(size), 0.1),
        functional.leaky_relu, lambda arguments: 2 * _bytes(arguments[0]),
    ),
    Operation(
        "row_scale_", "row_scale_", "03_accessors", _scaled,
        lambda x, s: x.mul_(s[:, None]),
        lambda arguments: 2 * _bytes(arguments[0]) + _bytes(arguments[1]), in_place=True,
    ),
    Operation(
        "rms_norm_bias_silu", "rms_norm_bias_silu", "06_fusion", _normed,
        norm, lambda arguments: 2 * _bytes(arguments[0]) + _bytes(*arguments[1:3]),
    ),
    Operation(
        "rms_norm_bias_silu, backward", "rms_norm_bias_silu_function", "06_fusion", _normed,
        norm, lambda arguments: 3 * _bytes(arguments[0]) + 2 * _bytes(*arguments[1:3]), backward=True,
    ),
    Operation(
        "segment_sum", "segment_sum", "07_irregular_and_novel", _segmented, segments_added,
        lambda arguments: _bytes(*arguments) + (len(arguments[1]) - 1) * 128 * 4,
    ),
    Operation(
        "quantize_rowwise", "quantize_rowwise", "07_irregular_and_novel", lambda size: (_matrix(size),),
        quantized, lambda arguments: _bytes(arguments[0]) * 5 // 4 + len(arguments[0]) * 4,
    ),
)  # fmt: skip
