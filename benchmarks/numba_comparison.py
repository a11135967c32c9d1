"""Three kernels with every check on, beside the same kernels in numba's CUDA simulator.

    python -m venv /tmp/numba && /tmp/numba/bin/pip install numba
    python benchmarks/numba_comparison.py docs/reports/numba.md --numba /tmp/numba/bin/python

numba is no dependency of this project.  Its simulator gives each CUDA thread an operating system's thread,
so it is timed at sizes at which it ends within seconds, and the ratio is taken at those sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from report import machine

from grader import simulator
from grader.toolchain import BuildRequest, build, load

KERNELS = """\
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
constexpr int TILE = 16;

__global__ void add_relu_kernel(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(a[i] + b[i], 0.f);
}

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.f;
  for (int start = 0; start < n; start += TILE) {
    left[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void block_sums_kernel(const float* x, float* out) {
  __shared__ float part[1024];
  const int tid = threadIdx.x;
  part[tid] = x[blockIdx.x * 1024 + tid];
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (tid < half) part[tid] += part[tid + half];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part[0];
}

void add_relu(torch::Tensor a, torch::Tensor b, torch::Tensor out) {
  const int n = a.numel();
  add_relu_kernel<<<n / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
}

void matmul(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  const int n = a.size(0);
  matmul_kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE), 0, c10::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n);
}

void block_sums(torch::Tensor x, torch::Tensor out) {
  block_sums_kernel<<<x.numel() / 1024, 1024, 0, c10::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), out.data_ptr<float>());
}
"""
# Elements, side of a matrix, elements: those that the bounds are for, and those that numba is timed at.
FULL = (1 << 20, 256, 1 << 20)
SMALL = (1 << 14, 64, 1 << 13)
BOUNDS = {"add_relu": 0.060, "matmul": 0.4, "block_sums": 0.25}
NAMES = {
    "add_relu": "elementwise, {0:,} floats",
    "matmul": "tiled matrix product, {1}³",
    "block_sums": "reduction in blocks of 1024 threads, {2:,} floats",
}
LEAST_RATIO = 300
REPEATS = 7


def main() -> None:
    """Measure both simulators, print the report and write it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report", type=Path)
    parser.add_argument("--numba", required=True, help="an interpreter that has numba")
    options = parser.parse_args()
    module = _module()
    full, small = measured(module, FULL), measured(module, SMALL)
    version, theirs = numba_measured(options.numba, SMALL)
    text = _text(full, small, theirs, version)
    print(text)
    options.report.write_text(text, encoding="utf-8")


def _module() -> ModuleType:
    simulator.load_runtime()
    result = build(BuildRequest("benchmark", KERNELS))
    if not result.ok or result.library is None:
        raise SystemExit(result.output)
    return load(result.library, "benchmark")


def measured(module: ModuleType, sizes: tuple[int, int, int]) -> dict[str, list[float]]:
    """Return processor seconds for each launch on `sim`, from the call to its end; results are checked."""
    elements, side, summed = sizes
    a, b = torch.randn(elements), torch.randn(elements)
    m, n, x = torch.randn(side, side), torch.randn(side, side), torch.randn(summed)
    cases: dict[str, tuple[list[torch.Tensor], torch.Tensor]] = {
        "add_relu": ([a, b], (a + b).relu()),
        "matmul": ([m, n], m @ n),
        "block_sums": ([x], x.view(-1, 1024).sum(1)),
    }
    return {name: _timed(getattr(module, name), *case) for name, case in cases.items()}


def _timed(function: Callable[..., Any], given: list[torch.Tensor], wanted: torch.Tensor) -> list[float]:
    arguments = [*(tensor.to("sim") for tensor in given), torch.empty_like(wanted, device="sim")]
    torch.accelerator.synchronize()
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        function(*arguments)
        torch.accelerator.synchronize()
        taken.append(time.process_time() - began)
    torch.testing.assert_close(arguments[-1].cpu(), wanted, rtol=1e-3, atol=1e-3)
    if simulator.reports():
        raise SystemExit("a report on a right kernel")
    return taken


def numba_measured(python: str, sizes: tuple[int, int, int]) -> tuple[str, dict[str, list[float]]]:
    """Return numba's version and its seconds for each launch."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [python, str(Path(__file__).with_name("numba_kernels.py")), "3", *map(str, sizes)]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    version = subprocess.run(
        [python, "-c", "import numba; print(numba.__version__)"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return version, json.loads(output)


def _text(
    full: dict[str, list[float]], small: dict[str, list[float]], theirs: dict[str, list[float]], version: str
) -> str:
    lines = [
        "# Three kernels with every check on",
        "",
        "Written by `benchmarks/numba_comparison.py`. Times are processor time of one launch, from the call "
        "to its end, summed over threads, so that other work on the machine does not count: "
        f"median of {REPEATS} on `sim`, of 3 in numba's CUDA simulator. Results are checked on both.",
        "",
        f"{machine()}, numba {version}",
        "",
        "## At the sizes of the course's promises",
        "",
        "| kernel | median | worst | bound |",
        "|---|---:|---:|---:|",
    ]
    for name, taken in full.items():
        cells = (NAMES[name].format(*FULL), *(f"{1000 * s:.1f} ms" for s in _summary(taken)))
        lines.append(f"| {' | '.join(cells)} | {1000 * BOUNDS[name]:g} ms |")
    lines += [
        "",
        "## Beside numba, at sizes at which it ends within seconds",
        "",
        "Both are timed at the size in the row; nothing is extrapolated. numba's simulator checks no memory, "
        "no races and no barriers.",
        "",
        f"| kernel | sim | numba | numba / sim (at least {LEAST_RATIO}) |",
        "|---|---:|---:|---:|",
    ]
    for name, taken in small.items():
        ours, numba = _summary(taken)[0], _summary(theirs[name])[0]
        lines.append(
            f"| {NAMES[name].format(*SMALL)} | {1000 * ours:.2f} ms | {1000 * numba:.0f} ms "
            f"| {numba / ours:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def _summary(taken: list[float]) -> tuple[float, float]:
    return statistics.median(taken), max(taken)


if __name__ == "__main__":
    main()
