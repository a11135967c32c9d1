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
# Empty, short and long segments.
_OFFSETS = torch.tensor([0, 0, 7, 40, 41, 200, 200, 329, 361, 500], dtype=torch.int32)
_QUARTERS = torch.cat([_integers(5, 149, below=255) / 4 - 31.75, torch.full((5, 1), 32.0)], 1)

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
    "scan_decoupled_lookback": Program(lambda: (_integers(1500),), lambda x: x.cumsum(0).int()),
    "lookback_value_behind_a_flag": Program(
        lambda: (_normal(1000),), lambda x: references.rising_chain(x, 64), tolerance=1e-3
    ),
    "block_mailbox": Program(lambda: (_normal(6, 64),), lambda x: x.flip(1)),
    "scatter_add": Program(
        lambda: (_normal(83, 21), _integers(83, below=11) - 1), references.scattered, tolerance=1e-4
    ),
    "gather_rows": Program(
        lambda: (_normal(13, 70), _integers(29, below=13).long()), lambda table, index: table[index]
    ),
    "segmented_sum": Program(lambda: (_normal(500), _OFFSETS), references.segment_sums, tolerance=1e-4),
    "atomic_max_float": Program(lambda: (-_normal(1301).abs() - 0.5,), lambda x: x.max().reshape(1)),
    "ticket_lock": Program(lambda: (_normal(1000),), references.moments, tolerance=1e-3),
    "dot_double": Program(
        lambda: (_normal(2001).double(), _normal(2001, seed=1).double()),
        lambda a, b: (a @ b).reshape(1),
        tolerance=1e-12,
    ),
    "matvec_warp_per_row": Program(
        lambda: (_normal(13, 150), _normal(150, seed=1)), lambda a, b: a.double() @ b.double(), tolerance=1e-4
    ),
    "merge_path": Program(
        lambda: (_integers(403, below=500).sort().values, _integers(620, below=500, seed=1).sort().values),
        lambda a, b: torch.cat([a, b]).sort().values,
    ),
    # Shorter than the block, and with equals.
    "argmax_rows": Program(
        lambda: (_integers(9, 45, below=12).float(),), lambda x: (x == x.amax(1, True)).int().argmax(1).int()
    ),
    # Quarters, with a largest magnitude of 32: many ties, and every division exact.
    "quantise_rows": Program(lambda: (_QUARTERS,), references.quantised),
    "half2_elementwise": Program(
        lambda: (_normal(1001).half(), _normal(1001, seed=1).half()),
        lambda a, b: a.double() * b.double() + a.double(),
        tolerance=2e-3,
    ),
    "dynamic_shared_arrays": Program(lambda: (_normal(5, 150),), references.spread, tolerance=1e-6),
    "two_kernels": Program(
        lambda: (_normal(3001) + 1,), lambda x: x.double().var(correction=0).reshape(1), tolerance=1e-4
    ),
    "game_of_life": Program(lambda: (_integers(37, 45, below=2),), lambda x: references.generations(x, 5)),
    "jacobi": Program(lambda: (_normal(37, 45),), lambda x: references.heated(x, 10), tolerance=1e-4),
    "monte_carlo_pi": Program(lambda: (_integers(150, below=1 << 30) + 1,), lambda x: references.hits(x, 50)),
    "column_sums": Program(lambda: (_normal(101, 75),), lambda x: x.double().sum(0), tolerance=1e-4),
}
