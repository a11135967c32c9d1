"""What PyTorch's own `load_inline` spends on the same kernel, measured here and now.

`load_inline` writes two files: the kernels, for nvcc, and a pybind11 binding, for g++.  Both include
`torch/extension.h`.  The g++ step can be measured on any machine and is the unit of every ratio.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

from torch.utils import cpp_extension

BINDING = """\
#include <torch/extension.h>

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("add_relu", torch::wrap_pybind_function(add_relu), "add_relu");
}
"""

KERNEL = """\
#include <torch/extension.h>

__global__ void add_relu_kernel(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(a[i] + b[i], 0.f);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
  auto out = torch::empty_like(a);
  const int n = a.numel();
  add_relu_kernel<<<(n + 255) / 256, 256>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""


def binding_seconds(scratch: Path) -> float:
    """Compile `load_inline`'s binding file with g++ and return the wall time."""
    return _compile("g++", ["-fPIC"], scratch / "main.cpp", BINDING)


def kernel_seconds(scratch: Path) -> float | None:
    """Compile the kernel file with nvcc, or return None where there is no nvcc."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return None
    options = ["--expt-relaxed-constexpr", "-arch=sm_90", "--compiler-options", "-fPIC"]
    return _compile(nvcc, options, scratch / "cuda.cu", KERNEL)


def _compile(compiler: str, options: list[str], source: Path, text: str) -> float:
    source.write_text(text)
    headers = [*cpp_extension.include_paths(), sysconfig.get_path("include")]
    include = [flag for path in headers for flag in ("-isystem", path)]
    defines = ["-DTORCH_EXTENSION_NAME=fused", "-DTORCH_API_INCLUDE_EXTENSION_H"]
    files = ["-c", str(source), "-o", str(source.with_suffix(".o"))]
    started = time.perf_counter()
    subprocess.run([compiler, *options, "-std=c++20", *defines, *include, *files], check=True)
    return time.perf_counter() - started
