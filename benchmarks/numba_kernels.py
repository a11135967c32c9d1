"""Three kernels in numba's CUDA simulator; prints processor seconds for each as JSON.

NUMBA_ENABLE_CUDASIM=1 python benchmarks/numba_kernels.py REPEATS ELEMENTS SIDE SUMMED

Needs numba and numpy alone, so that it runs in an environment of its own.  Started by `numba_comparison.py`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def add_relu(a, b, out):  # type: ignore[no-untyped-def]  # noqa: D103
    i = cuda.grid(1)
    if i < out.size:
        s = a[i] + b[i]
        out[i] = s if s > 0 else 0


@cuda.jit
def matmul(a, b, c):  # type: ignore[no-untyped-def]  # noqa: D103
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = 0.0
    for start in range(0, a.shape[1], TILE):
        left[ty, tx] = a[row, start + tx]
        right[ty, tx] = b[start + ty, column]
        cuda.syncthreads()
        for i in range(TILE):
            total += left[ty, i] * right[i, tx]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def block_sums(x, out):  # type: ignore[no-untyped-def]  # noqa: D103
    part = cuda.shared.array(1024, float32)
    tid = cuda.threadIdx.x
    part[tid] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = 512
    while half > 0:
        if tid < half:
            part[tid] += part[tid + half]
        cuda.syncthreads()
        half //= 2
    if tid == 0:
        out[cuda.blockIdx.x] = part[0]


def main() -> None:
    """Time each kernel and check what it computed."""
    repeats, elements, side, summed = map(int, sys.argv[1:])
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(elements, dtype=np.float32) for _ in range(2))
    m, n = (rng.standard_normal((side, side), dtype=np.float32) for _ in range(2))
    x = rng.standard_normal(summed, dtype=np.float32)
    added, product, sums = np.empty_like(a), np.empty_like(m), np.empty(summed // 1024, np.float32)
    seconds = {
        "add_relu": _timed(lambda: add_relu[elements // 256, 256](a, b, added), repeats),
        "matmul": _timed(lambda: matmul[(side // TILE,) * 2, (TILE, TILE)](m, n, product), repeats),
        "block_sums": _timed(lambda: block_sums[summed // 1024, 1024](x, sums), repeats),
    }
    np.testing.assert_allclose(added, np.maximum(a + b, 0), rtol=1e-5)
    np.testing.assert_allclose(product, m @ n, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(sums, x.reshape(-1, 1024).sum(1), rtol=1e-3, atol=1e-3)
    print(json.dumps(seconds))


def _timed(launch: Callable[[], object], repeats: int) -> list[float]:
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        launch()
        taken.append(time.process_time() - began)
    return taken


if __name__ == "__main__":
    main()
