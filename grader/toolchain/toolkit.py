"""What PyTorch would tell nvcc and the linker, asked once and kept: importing torch to ask takes seconds."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.toolchain import cache, machine
from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.torch_install import cpp_extension, installed, python_include

_GPUS = Path("/proc/driver/nvidia/gpus")
_VARIABLES = (
    "TORCH_CUDA_ARCH_LIST", "CXX", "CUDA_HOME", "CUDA_PATH", "NVCC_PREPEND_FLAGS", "CUDA_VISIBLE_DEVICES",
)  # fmt: skip


@dataclass(frozen=True)
class Toolkit:
    """The CUDA compiler and PyTorch's flags for it, for the GPUs of this machine."""

    nvcc: str
    flags: list[str]
    architectures: list[str]
    link_flags: list[str]
    capability: str

    def architectures_beside(self, extra: Sequence[str]) -> list[str]:
        """Return PyTorch's architecture flags beside flags that may choose one already."""
        if not any("arch" in flag for flag in extra):
            return self.architectures
        return list(cpp_extension()._get_cuda_arch_flags(list(extra)))


def find() -> Toolkit:
    """Return the toolkit, from the cache where nothing has changed that could change it.

    Raises `EnvironmentFault` where PyTorch is built without CUDA.
    """
    require_cuda()
    if "toolkit" in machine.told():
        return Toolkit(**machine.told()["toolkit"])
    place = cache.root() / f"toolkit-{cache.key([Path(__file__).read_text(), *environment()])}.json"
    try:
        return Toolkit(**json.loads(place.read_text()))
    except (OSError, ValueError, TypeError):
        found = _asked()
    with cache.writing(cache.root()):
        fresh = place.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        fresh.write_text(json.dumps(asdict(found)))
        fresh.replace(place)
    return found


def home() -> str:
    """Return the CUDA toolkit's directory, as PyTorch is to see it."""
    locate()
    return str(cpp_extension().CUDA_HOME or "")


def require_cuda() -> None:
    """Raise `EnvironmentFault` where the installed PyTorch is built without CUDA."""
    if installed().cuda is None:
        raise EnvironmentFault(
            f"This PyTorch ({installed().version}) is built without CUDA. Install a CUDA build of it, "
            "or use the simulator (--device sim)."
        )


def environment() -> list[str]:
    """Return what decides a CUDA build beside the request: versions, variables and the GPUs."""
    if "environment" in machine.told():
        return list(machine.told()["environment"])
    install = installed()
    words = [str(install.root), install.version, str(install.cuda)]
    words += [os.environ.get(name, "") for name in _VARIABLES]
    words += [_said(["nvcc", "--version"]), _said([os.environ.get("CXX") or "c++", "--version"])]
    return [*words, *_gpus()]


def _gpus() -> list[str]:
    """Return what the driver says of each GPU, without the lines that change while it works."""
    files = sorted(_GPUS.glob("*/information"))
    return [re.sub(r"(?m)^(?!Model:|Device Minor:).*\n?", "", path.read_text()) for path in files]


def _asked() -> Toolkit:
    """Ask PyTorch."""
    import torch

    locate()
    extension = cpp_extension()
    include = [word for path in extension.include_paths("cuda") for word in ("-isystem", str(path))]
    beside = Path(extension.CUDA_HOME or "") / "bin/nvcc"
    return Toolkit(
        nvcc=str(beside) if extension.CUDA_HOME and beside.exists() else shutil.which("nvcc") or "nvcc",
        flags=[*extension.COMMON_NVCC_FLAGS, *include],
        architectures=list(extension._get_cuda_arch_flags([])),
        link_flags=_link_flags(),
        capability=str(torch.cuda.get_device_capability()) if torch.cuda.is_available() else "",
    )


def only_compiling(further: Path) -> Toolkit:
    """Return a toolkit that compiles where PyTorch has no CUDA and the machine no GPU, and links nothing.

    `further` holds headers that toolkit and PyTorch lack; it is made.
    """
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise EnvironmentFault("nvcc was not found. Install the CUDA toolkit's compiler, and put it on PATH.")
    top = _top(nvcc)
    for name, text in _STAND_INS.items():
        if not (Path(top) / "include" / name).exists() and not (installed().include / name).exists():
            (further / name).parent.mkdir(parents=True, exist_ok=True)
            (further / name).write_text(text)
    paths = [further, installed().include, installed().include / "torch/csrc/api/include", python_include()]
    flags = [
        *cpp_extension().COMMON_NVCC_FLAGS,
        *(word for path in paths for word in ("-isystem", str(path))),
    ]
    return Toolkit(nvcc, flags, ["-gencode=arch=compute_80,code=sm_80"], [], "")


_STAND_INS = {
    "cublas_v2.h": "typedef struct cublasContext* cublasHandle_t; typedef int cublasStatus_t;\n",
    "cublasLt.h": "typedef struct cublasLtContext* cublasLtHandle_t;\n",
    "cusparse.h": "typedef struct cusparseContext* cusparseHandle_t;\n",
    "cusolverDn.h": "typedef struct cusolverDnContext* cusolverDnHandle_t;\n",
    "cusolver_common.h": "typedef int cusolverStatus_t;\n",
    "c10/cuda/impl/cuda_cmake_macros.h": "",
}
"""What `ATen/cuda/CUDAContext.h` names of libraries that no exercise uses, and that nvcc alone lacks."""


def _top(nvcc: str) -> str:
    """Return the toolkit of an nvcc, which may be a script for the real one."""
    found = re.search(r"^#\$ TOP=(.+)$", _said([nvcc, "--dryrun", "-x", "cu", os.devnull]), re.MULTILINE)
    return os.path.realpath(found[1].strip()) if found else ""


def _link_flags() -> list[str]:
    """Return PyTorch's own link flags.  Its function has taken `with_sycl` in some versions."""
    prepare = cpp_extension()._prepare_ldflags
    asked = dict.fromkeys(inspect.signature(prepare).parameters, False)
    flags: list[str] = prepare(**{**asked, "extra_ldflags": [], "with_cuda": True})
    return flags


def locate() -> None:
    """Tell PyTorch where the CUDA toolkit is, if only nvcc knows: it may be a script for the real one."""
    require_cuda()
    extension = cpp_extension()
    home = extension.CUDA_HOME
    if home is not None and (Path(home) / "include/cuda_runtime.h").exists():
        return
    top = _top("nvcc")
    if top:
        extension.CUDA_HOME = top


def _said(command: list[str]) -> str:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        return ran.stdout + ran.stderr
    except (OSError, subprocess.TimeoutExpired):
        return ""
