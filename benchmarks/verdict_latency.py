"""Time from source text to verdict on `sim`, against PyTorch's own `load_inline` in the same run.

    python benchmarks/verdict_latency.py [--repeats 5] [--no-nvcc]

The runtime is built first and not counted; `first_use.py` counts that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import baseline
from table import Measurement, markdown

from grader.judge import Answer, Judge
from grader.verdict import Outcome

EXERCISE = "add_relu"
SOURCE = """\
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void kernel_NONCE(const float* a, const float* b, float* out, int64_t n) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(a[i] + b[i], 0.f);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda() && b.is_cuda(), "a and b must be CUDA tensors");
  TORCH_CHECK(a.sizes() == b.sizes(), "a and b must have the same sizes");
  TORCH_CHECK(a.dtype() == torch::kFloat32 && b.dtype() == torch::kFloat32, "a and b must be float32");
  a = a.contiguous();
  b = b.contiguous();
  auto out = torch::empty_like(a);
  int64_t n = a.numel();
  kernel_NONCE<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
"""


def never_seen() -> str:
    """Return a right answer that no cache can hold."""
    return SOURCE.replace("NONCE", uuid.uuid4().hex)


def seconds(action: Callable[[], None]) -> float:
    """Run once and return the wall time."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def check_by_command(source: str, folder: Path) -> None:
    """Judge a file with `grader check`, as a process of its own, and insist that it passed."""
    file = folder / f"{EXERCISE}.cu"
    file.write_text(source)
    command = [sys.executable, "-m", "grader.cli", "check", EXERCISE, str(file), "--device", "sim", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    if json.loads(answer.stdout)["verdict"] != Outcome.PASSED:
        raise SystemExit(answer.stdout)


def check_warm(judge: Judge, source: str) -> None:
    """Judge with a judge that is already up, as a notebook does, and insist that it passed."""
    verdict = judge.judge(EXERCISE, Answer(cuda=source), device="sim")
    if not verdict.passed:
        raise SystemExit(json.dumps(verdict.to_json()))


def measure(repeats: int) -> list[Measurement]:
    """Measure the three ways to a verdict that the course promises."""
    with tempfile.TemporaryDirectory() as folder:
        check_by_command(never_seen(), Path(folder))
        command = tuple(seconds(lambda: check_by_command(never_seen(), Path(folder))) for _ in range(repeats))
    with Judge() as judge:
        source = never_seen()
        check_warm(judge, source)
        fresh = tuple(seconds(lambda: check_warm(judge, never_seen())) for _ in range(repeats))
        again = tuple(seconds(lambda: check_warm(judge, source)) for _ in range(repeats))
    return [
        Measurement(f"`grader check {EXERCISE}`, source never seen", command, bound=5),
        Measurement("judge warm, source never seen", fresh, bound=2.5),
        Measurement("judge warm, same source again", again, bound=0.5),
    ]


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--no-nvcc", action="store_true")
    options = arguments.parse_args()
    measurements = measure(options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        binding = baseline.binding_seconds(Path(folder))
        kernel = None if options.no_nvcc else baseline.kernel_seconds(Path(folder))
    measurements.append(Measurement("`load_inline`'s g++ step (binding file)", (binding,)))
    if kernel is not None:
        measurements.append(Measurement("`load_inline`'s nvcc step (kernel file)", (kernel,)))
    print(markdown(measurements, "g++ step", binding))


if __name__ == "__main__":
    main()
