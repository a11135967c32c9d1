"""What the simulator lacks, so that a submission that uses it gets "needs a GPU" and never "wrong"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.toolchain.frontend.kernels import Kernel, Launch
from grader.toolchain.frontend.tokens import Tokens


@dataclass(frozen=True)
class Missing:
    """A construct that needs a GPU, and the line that uses it."""

    construct: str
    line: int


_INCLUDES = (
    (re.compile(r"^cub/"), "CUB"),
    (re.compile(r"^thrust/"), "Thrust"),
    (re.compile(r"^(cutlass|cute)/"), "CUTLASS"),
    (re.compile(r"^mma\.h$"), "tensor cores (mma.h)"),
    (re.compile(r"^(cuda/|cuda_pipeline)"), "libcu++ (cuda::)"),
    (re.compile(r"^cooperative_groups/memcpy_async\.h$"), "cooperative_groups::memcpy_async"),
    (re.compile(r"^(cublas|cudnn|cusparse|cusolver|cufft|curand|nccl|nvrtc)"), "CUDA libraries"),
    (re.compile(r"^cudaTypedefs\.h$"), "TMA (CUtensorMap)"),
)
_NAMES = {
    "asm": "inline PTX (asm)",
    "__asm__": "inline PTX (asm)",
    "wmma": "tensor cores (wmma)",
    "CUtensorMap": "TMA (CUtensorMap)",
    "cuTensorMapEncodeTiled": "TMA (CUtensorMap)",
    "cudaTextureObject_t": "texture objects",
    "tex1Dfetch": "texture objects",
    "tex2D": "texture objects",
    "__cluster_dims__": "thread block clusters",
    "this_cluster": "thread block clusters",
    "__pipeline_memcpy_async": "asynchronous copies (__pipeline_memcpy_async)",
    "this_grid": "grid-wide synchronisation (cooperative launch)",
    "grid_group": "grid-wide synchronisation (cooperative launch)",
    "cudaLaunchKernel": "launches through cudaLaunchKernel",
    "cudaLaunchKernelEx": "launches through cudaLaunchKernelEx",
    "cudaLaunchKernelExC": "launches through cudaLaunchKernelEx",
    "cudaLaunchCooperativeKernel": "grid-wide synchronisation (cooperative launch)",
}


def find_missing(tokens: Tokens, kernels: list[Kernel], launches: list[Launch]) -> list[Missing]:
    """Return the constructs that need a GPU, in order of line, each once."""
    found = [
        Missing(construct, include.line)
        for include in tokens.includes
        for pattern, construct in _INCLUDES
        if pattern.search(include.path)
    ]
    found += [Missing("a condition on __CUDA_ARCH__", line) for line in tokens.architecture_lines]
    for stream in tokens.streams():
        found += [Missing(_NAMES[token.text], token.line) for token in stream.tokens if token.text in _NAMES]
    found += [Missing("dynamic parallelism", launch.line) for launch in launches if _within(launch, kernels)]
    first = {missing.construct: missing for missing in sorted(found, key=lambda m: -m.line)}
    return sorted(first.values(), key=lambda m: m.line)


def _within(launch: Launch, kernels: list[Kernel]) -> bool:
    bodies = [k.function for k in kernels if k.stream is launch.stream and k.function.body is not None]
    return any((body.body or 0) < launch.callee < (body.end or 0) for body in bodies)
