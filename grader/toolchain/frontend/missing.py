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
    (re.compile(r"^(cub/|ATen/cuda/cub)"), "CUB"),
    (re.compile(r"^(thrust/|ATen/cuda/ThrustAllocator)"), "Thrust"),
    (re.compile(r"^(cutlass|cute)/"), "CUTLASS"),
    (re.compile(r"^(mma|crt/mma)\.h$"), "tensor cores (mma.h)"),
    (re.compile(r"^(cuda/|cuda_pipeline|cuda_awbarrier|nv/target)"), "libcu++ (cuda::)"),
    (re.compile(r"^(cublas|cudnn|cusparse|cusolver|cufft|curand|nccl|nvrtc)"), "CUDA libraries"),
    (re.compile(r"^ATen/cuda/(CUDABlas|CUDASparse\w*|CUDADataType)\.h$"), "CUDA libraries"),
    (re.compile(r"^ATen/(cuda/(CUDAGeneratorImpl|Philox\w*|CUDAGraph\w*|StatelessPhilox\w*)\.(h|cuh)"
                r"|cuda/detail/UnpackRaw\.cuh)$"), "PyTorch's CUDA generator and graphs in C++"),
    (re.compile(r"^ATen/(native/cuda/(?!block_reduce|KernelUtils|DeviceSqrt|Math)|cuda/(jiterator|tunable|Sleep))"),
     "PyTorch's internal CUDA headers"),
    (re.compile(r"^cudaTypedefs\.h$"), "TMA (CUtensorMap)"),
    (re.compile(r"^(cuda_fp8|cuda_fp4|cuda_fp6)\.h"), "8-bit floating point"),
    (re.compile(r"^(texture_|surface_)\w+\.h$"), "texture objects"),
)  # fmt: skip
_COOPERATIVE = "grid-wide synchronisation (cooperative launch)"
_CLUSTERS = "thread block clusters"
_MANAGED = "managed memory"
_MAPPED = "host memory that kernels read (mapped)"
_NAMES = {
    "asm": "inline PTX (asm)",
    "__asm__": "inline PTX (asm)",
    "__asm": "inline PTX (asm)",
    "wmma": "tensor cores (wmma)",
    "CUtensorMap": "TMA (CUtensorMap)",
    "cuTensorMapEncodeTiled": "TMA (CUtensorMap)",
    "cudaTextureObject_t": "texture objects",
    "cudaCreateTextureObject": "texture objects",
    "cudaArray_t": "texture objects",
    "cudaMallocArray": "texture objects",
    "tex1D": "texture objects",
    "tex1Dfetch": "texture objects",
    "tex2D": "texture objects",
    "tex3D": "texture objects",
    "cudaSurfaceObject_t": "surface objects",
    "surf2Dread": "surface objects",
    "surf2Dwrite": "surface objects",
    "__cluster_dims__": _CLUSTERS,
    "this_cluster": _CLUSTERS,
    "cudaLaunchAttributeClusterDimension": _CLUSTERS,
    "cudaLaunchAttributeCooperative": _COOPERATIVE,
    "cudaLaunchAttributeProgrammaticStreamSerialization": "programmatic dependent launch",
    "cudaGridDependencySynchronize": "programmatic dependent launch",
    "cudaLaunchCooperativeKernel": _COOPERATIVE,
    "this_multi_grid": _COOPERATIVE,
    "__pipeline_memcpy_async": "asynchronous copies (__pipeline_memcpy_async)",
    "__barrier_sync": "named barriers",
    "__barrier_sync_count": "named barriers",
    "cudaMallocManaged": _MANAGED,
    "__managed__": _MANAGED,
    "cudaMemPrefetchAsync": _MANAGED,
    "cudaMemAdvise": _MANAGED,
    "cudaHostGetDevicePointer": _MAPPED,
    "cudaMemPoolCreate": "memory pools of one's own",
    "cudaMallocFromPoolAsync": "memory pools of one's own",
    "cudaIpcGetMemHandle": "memory shared between processes",
    "cudaGraphAddKernelNode": "graphs built by hand",
    "cudaStreamAddCallback": "cudaStreamAddCallback",
    "CUmodule": "the driver API",
    "cuLaunchKernel": "the driver API",
    "cuModuleLoadData": "the driver API",
    "__nv_fp8_e4m3": "8-bit floating point",
    "__nv_fp8_e5m2": "8-bit floating point",
    "getCurrentCUDABlasHandle": "CUDA libraries",
    "PhiloxCudaState": "PyTorch's CUDA generator and graphs in C++",
    "CUDAGeneratorImpl": "PyTorch's CUDA generator and graphs in C++",
}


def find_missing(tokens: Tokens, kernels: list[Kernel], launches: list[Launch]) -> list[Missing]:
    """Return the constructs that need a GPU, in order of line, each once."""
    found = [
        Missing(construct, include.line)
        for include in tokens.includes
        for pattern, construct in _INCLUDES
        if pattern.search(include.path)
    ]
    for stream in tokens.streams():
        found += [Missing(_NAMES[token.text], token.line) for token in stream.tokens if token.text in _NAMES]
    found += [Missing("dynamic parallelism", launch.line) for launch in launches if _within(launch, kernels)]
    first = {missing.construct: missing for missing in sorted(found, key=lambda m: -m.line)}
    return sorted(first.values(), key=lambda m: m.line)


def _within(launch: Launch, kernels: list[Kernel]) -> bool:
    bodies = [k.function for k in kernels if k.stream is launch.stream and k.function.body is not None]
    return any((body.body or 0) < launch.callee < (body.end or 0) for body in bodies)
