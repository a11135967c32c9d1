"""Inputs, references and tolerances of the kernel programs, by folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Tensor = torch.Tensor


def _plain_call(run: Any, *tensors: Tensor) -> Tensor:
    return run(*tensors)


@dataclass(frozen=True)
class Program:
    """How a kernel is called and what it must return.

    `inputs` are seeded; `expected` is exact or in float64; `tolerance` is absolute and relative at once,
    0 for exact results.  `call` hands the tensors on the device to the module's `run`.
    """

    inputs: Callable[[], tuple[Tensor, ...]]
    expected: Callable[..., Tensor]
    tolerance: float = 0.0
    call: Callable[..., Tensor] = _plain_call

    def accepts(self, got: Tensor, wanted: Tensor) -> bool:
        """Whether a result has the shape and the values of the reference."""
        if got.shape != wanted.shape:
            return False
        if self.tolerance == 0:
            return torch.equal(got.to(wanted.dtype), wanted)
        return torch.allclose(
            got.double(), wanted.double(), rtol=self.tolerance, atol=self.tolerance, equal_nan=False
        )


def _normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def _integers(*shape: int, below: int = 10, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, below, shape, generator=generator, dtype=torch.int32)


def _spans(x: Tensor, span: int) -> Tensor:
    """Return `x` as rows of `span`, the last filled up with zeros."""
    return torch.nn.functional.pad(x, (0, -len(x) % span)).view(-1, span)


def _sums_of(span: int) -> Program:
    return Program(
        lambda: (_normal(5 * span + 77),), lambda x: _spans(x.double(), span).sum(1), tolerance=1e-4
    )


def _scans_of(span: int) -> Program:
    return Program(
        lambda: (_integers(5 * span + 41),),
        lambda x: _spans(x, span).cumsum(1).flatten()[: len(x)].int(),
    )


def _exclusive(x: Tensor, span: int) -> Tensor:
    rows = _spans(x, span)
    return (rows.cumsum(1) - rows).flatten()[: len(x)].int()


def _shares(x: Tensor) -> Tensor:
    rows = _spans(x.double(), 256)
    return (rows / rows.sum(1, keepdim=True)).flatten()[: len(x)]


def _total(count: int) -> Program:
    return Program(lambda: (_normal(count),), lambda x: x.double().sum().reshape(1), tolerance=1e-3)


PROGRAMS: dict[str, Program] = {
    "reduce_interleaved_divergent": _sums_of(256),
    "reduce_interleaved_strided": _sums_of(256),
    "reduce_sequential": Program(lambda: (_normal(1301).abs() + 0.1,), _shares, tolerance=1e-5),
    "reduce_first_add": _sums_of(512),
    "reduce_unrolled_last_warp": _sums_of(256),
    "reduce_shuffle": _sums_of(256),
    "reduce_grid_stride": Program(lambda: (_normal(2999),), lambda x: x.double().sum(), tolerance=1e-3),
    "reduce_atomic_finish": _total(1501),
    "reduce_last_block": _total(1501),
    "scan_hillis_steele": _scans_of(128),
    "scan_blelloch": Program(lambda: (_integers(1321),), lambda x: _exclusive(x, 256)),
    "scan_warp_shuffle": _scans_of(256),
    "transpose_tiled": Program(lambda: (_normal(70, 101),), lambda x: x.t().contiguous()),
    "transpose_padded": Program(lambda: (_normal(45, 67),), lambda x: x.t().contiguous()),
}
