"""Inputs, references and tolerances of the kernel programs, by folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from tests.kernels import references

Tensor = torch.Tensor


def _plain_call(run: Any, *tensors: Tensor) -> Tensor:
    result: Tensor = run(*tensors)
    return result


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


def _sums_of(span: int) -> Program:
    return Program(lambda: (_normal(5 * span + 77),), lambda x: references.span_sums(x, span), tolerance=1e-4)


def _scans_of(span: int) -> Program:
    return Program(lambda: (_integers(5 * span + 41),), lambda x: references.inclusive(x, span))


def _total(count: int) -> Program:
    return Program(lambda: (_normal(count),), lambda x: x.double().sum().reshape(1), tolerance=1e-3)


def _sorted_call(run: Any, *tensors: Tensor) -> Tensor:
    return _plain_call(run, *tensors).sort().values


# Packed in an order that is free, so both sides are sorted.
_PACKED = Program(lambda: (_normal(1111),), lambda x: x[x > 0].sort().values, call=_sorted_call)
_COUNTS = Program(lambda: (_integers(3001, below=50),), lambda x: x.bincount(minlength=50).int())
_PRODUCT = Program(
    lambda: (_normal(37, 53), _normal(53, 45, seed=1)), lambda a, b: a.double() @ b.double(), tolerance=1e-4
)

PROGRAMS: dict[str, Program] = {
    "reduce_interleaved_divergent": _sums_of(256),
    "reduce_interleaved_strided": _sums_of(256),
    "reduce_sequential": Program(
        lambda: (_normal(1301).abs() + 0.1,), lambda x: references.shares(x, 256), tolerance=1e-5
    ),
    "reduce_first_add": _sums_of(512),
    "reduce_unrolled_last_warp": _sums_of(256),
    "reduce_shuffle": _sums_of(256),
    "reduce_grid_stride": Program(lambda: (_normal(2999),), lambda x: x.double().sum(), tolerance=1e-3),
    "reduce_atomic_finish": _total(1501),
    "reduce_last_block": _total(1501),
    "scan_hillis_steele": _scans_of(128),
    "scan_blelloch": Program(lambda: (_integers(1321),), lambda x: references.exclusive(x, 256)),
    "scan_warp_shuffle": _scans_of(256),
    "transpose_tiled": Program(lambda: (_normal(70, 101),), lambda x: x.t().contiguous()),
    "transpose_padded": Program(lambda: (_normal(45, 67),), lambda x: x.t().contiguous()),
    "matmul_tiled": _PRODUCT,
    "matmul_register_tiled": _PRODUCT,
    "histogram_global": _COUNTS,
    "histogram_shared": _COUNTS,
    "stencil_1d": Program(lambda: (_normal(901),), lambda x: references.neighbour_sums(x, 3), tolerance=1e-5),
    "stencil_2d": Program(lambda: (_normal(45, 53),), references.smoothed, tolerance=1e-5),
    "convolution_constant": Program(
        lambda: (_normal(21, 67), _normal(3, 3, seed=1)), references.convolved, tolerance=1e-5
    ),
    # Large enough to overflow an exponential, and fewer columns than threads.
    "softmax_online": Program(
        lambda: (60 * _normal(6, 45),), lambda x: x.double().softmax(1), tolerance=1e-5
    ),
    "layer_norm_welford": Program(lambda: (_normal(7, 77) + 3,), references.normalised, tolerance=1e-4),
    "rms_norm_warp_per_row": Program(
        lambda: (_normal(9, 70),), references.root_mean_square_normalised, tolerance=1e-4
    ),
    "bitonic_sort": Program(lambda: (_integers(3, 201, below=1000),), lambda x: x.sort(1).values),
    "odd_even_sort": Program(lambda: (_normal(3, 101),), lambda x: x.sort(1).values),
    "compaction": _PACKED,
    "warp_aggregated_atomics": _PACKED,
    "all_pairs_double_buffered": Program(lambda: (_normal(333),), references.distances, tolerance=1e-3),
    "tile_reduce": _sums_of(128),
    # An aligned tensor and a slice that is not.
    "copy_float4": Program(
        lambda: (_normal(1003),),
        lambda x: 2 * torch.cat([x, x[1:]]),
        call=lambda run, x: torch.cat([run(x), run(x[1:])]),
    ),
    "axpy_grid_stride": Program(
        lambda: (_normal(1001), _normal(1001, seed=1)),
        lambda x, y: 1.5 * x.double() + y.double(),
        tolerance=1e-5,
    ),
}
