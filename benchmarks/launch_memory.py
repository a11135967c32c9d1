"""Memory that a launch on `sim` takes beyond its tensors, and its shadow in bytes for each byte touched.

    python benchmarks/launch_memory.py docs/reports/launch_memory.md

Each kernel runs in a process of its own, at two sizes.  The peak of the process's resident memory during the
launch, less what was resident before it, is the launch's own.  What it takes for each further byte touched is
the shadow; what does not grow is stacks and the like.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import torch
from report import machine

from grader import simulator
from grader.toolchain import BuildRequest, build, load

THREADS = 1 << 20
MOST_MIB, MOST_SHADOW = 64, 8
KERNELS = """\
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
template <class T> __global__ void add_kernel(const T* a, const T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
template <class T> __global__ void in_place_kernel(T* a, T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] + a[i];
}
template <class T> __global__ void blur_kernel(const T* a, T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] / 4 + a[(i + 1) % n] / 2 + a[(i + 2) % n] / 4;
}
// Every element is read by three threads and then written: each kind of record is in use.
template <class T> __global__ void blur_own_kernel(T* a, T* b, T* c, int n) {
  T* const row = a + blockIdx.x * 256;
  const int t = threadIdx.x;
  const T v = row[t] / 4 + row[(t + 1) % 256] / 2 + row[(t + 2) % 256] / 4;
  __syncthreads();
  row[t] = v;
}
template <class T> __global__ void grey_kernel(const T* a, T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = (a[3 * i] + 2 * a[3 * i + 1] + a[3 * i + 2]) / 4;
}
template <class T> __global__ void count_kernel(T* a, T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&c[reinterpret_cast<const uint8_t*>(a)[i]], 1);
}
// Neighbouring bytes of the result are written by different blocks: the worst case for small elements.
template <class T> __global__ void transpose_kernel(const T* a, T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i % 1024 * (n / 1024) + i / 1024] = a[i];
}
template <class T> __global__ void block_sums_kernel(const T* a, T* b, T* c, int n) {
  __shared__ T part[1024];
  const int tid = threadIdx.x;
  part[tid] = a[blockIdx.x * 1024 + tid];
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (tid < half) part[tid] += part[tid + half];
    __syncthreads();
  }
  if (tid == 0) c[blockIdx.x] = part[0];
}
// Of sixteen blocks each waits for the next: as many are resident as the simulator has at a time.
template <class T> __global__ void chain_kernel(const T* a, T* b, T* c, int n) {
  const int block = blockIdx.x ^ 15;
  if (threadIdx.x == 0) while (atomicAdd(b, 0) != block) {}
  __syncthreads();
  c[block * 1024 + threadIdx.x] = a[block * 1024 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(b, block + 1);
}
"""
# Kernel and its element type, threads of a block, name in the report, and the bytes of the tensors a, b and c
# for each thread (0: small, and does not grow).
CASES: dict[str, tuple[str, int, str, tuple[float, float, float]]] = {
    "add_float": ("add_kernel<float>", 256, "sum of two tensors, float", (4, 4, 4)),
    "add_byte": ("add_kernel<uint8_t>", 256, "the same, bytes", (1, 1, 1)),
    "in_place_double": ("in_place_kernel<double>", 256, "in place, double", (8, 0, 0)),
    "in_place_float": ("in_place_kernel<float>", 256, "in place, float", (4, 0, 0)),
    "in_place_short": ("in_place_kernel<short>", 256, "in place, 2 bytes", (2, 0, 0)),
    "in_place_byte": ("in_place_kernel<uint8_t>", 256, "in place, bytes", (1, 0, 0)),
    "blur_float": ("blur_kernel<float>", 256, "three neighbours, float", (4, 0, 4)),
    "blur_byte": ("blur_kernel<uint8_t>", 256, "the same, bytes", (1, 0, 1)),
    "blur_own_float": ("blur_own_kernel<float>", 256, "three neighbours in place, float", (4, 0, 0)),
    "blur_own_short": ("blur_own_kernel<short>", 256, "the same, 2 bytes", (2, 0, 0)),
    "blur_own_byte": ("blur_own_kernel<uint8_t>", 256, "the same, bytes", (1, 0, 0)),
    "grey": ("grey_kernel<uint8_t>", 256, "red, green and blue bytes to grey", (3, 0, 1)),
    "count": ("count_kernel<int>", 256, "histogram of bytes by atomics", (1, 0, 0)),
    "transpose": ("transpose_kernel<uint8_t>", 256, "bytes, each neighbour of another block", (1, 0, 1)),
    "block_sums": ("block_sums_kernel<float>", 1024, "reduction in blocks of 1024", (4, 0, 1 / 256)),
    "chain": ("chain_kernel<float>", 1024, "blocks of 1024 that wait for each other", (4, 0, 4)),
}
LAUNCH = """
void {name}(torch::Tensor a, torch::Tensor b, torch::Tensor c, int64_t n) {{
  using T = {element};
  {kernel}<<<n / {threads}, {threads}, 0, c10::cuda::getCurrentCUDAStream()>>>(
      static_cast<T*>(a.data_ptr()), static_cast<T*>(b.data_ptr()), static_cast<T*>(c.data_ptr()), n);
}}
"""
SMALL = 1 << 17
"""Bytes of a tensor that does not grow."""
FIRST = 16384
"""Threads of an elementwise launch before the one that is measured: what a process needs once is not its."""


def main() -> None:
    """Measure every kernel, print the report and write it; or measure one and print numbers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("KERNEL", "THREADS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_measured(options.one[0], int(options.one[1]))))
        return
    _module()
    rows = []
    for name in CASES:
        rows.append(_row(name))
        print(rows[-1], flush=True)
    text = "\n".join([*_HEAD, machine(), "", *_TABLE, *rows]) + "\n"
    options.report.write_text(text, encoding="utf-8")


_HEAD = [
    "# Memory of a launch",
    "",
    "Written by `benchmarks/launch_memory.py`. Each kernel is launched once with 2^20 and once with 2^21 "
    "threads, in a process of its own. *Beyond its tensors* is the peak of resident memory during the launch "
    f"of 2^20 threads less what was resident before: at most {MOST_MIB} MB are asked. *Shadow* is what the "
    f"larger launch takes more, for each byte that it touches more: at most {MOST_SHADOW} are asked.",
    "",
]
_TABLE = ["| kernel | beyond its tensors | shadow, bytes a byte |", "|---|---:|---:|"]


def _row(name: str) -> str:
    """Return a line of the table."""
    _, _, words, each = CASES[name]
    small, large = _in_a_process(name, THREADS), _in_a_process(name, 2 * THREADS)
    shadow = (large - small) / (sum(each) * THREADS)
    return f"| {words} | {small / 1e6:.1f} MB | {max(shadow, 0):.1f} |"


def _in_a_process(name: str, threads: int) -> int:
    command = [sys.executable, __file__, "-", "--one", name, str(threads)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return int(json.loads(done.stdout))


def _module() -> ModuleType:
    simulator.load_runtime()
    launches = [
        LAUNCH.format(name=name, kernel=kernel, element=kernel.split("<")[1][:-1], threads=threads)
        for name, (kernel, threads, _, _) in CASES.items()
    ]
    result = build(BuildRequest("launch_memory", KERNELS + "".join(launches)))
    if not result.ok or result.library is None:
        raise SystemExit(result.output)
    return load(result.library, "launch_memory")


def _measured(name: str, threads: int) -> int:
    """Return by how many bytes the process's resident memory rose during one launch."""
    module = _module()
    tensors = [
        torch.zeros(int(each * threads) or SMALL, dtype=torch.uint8, device="sim") for each in CASES[name][3]
    ]
    module.in_place_float(*(torch.zeros(SMALL, dtype=torch.uint8, device="sim") for _ in range(3)), FIRST)
    torch.accelerator.synchronize()
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    before = _status("VmRSS")
    getattr(module, name)(*tensors, threads)
    torch.accelerator.synchronize()
    rose = _status("VmHWM") - before
    if simulator.reports():
        raise SystemExit("a report on a right kernel")
    return rose


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:"))


if __name__ == "__main__":
    main()
