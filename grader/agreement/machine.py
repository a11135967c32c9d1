"""Which machine judged: the versions that a report must name."""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
from pathlib import Path

_SOURCES = frozenset((".py", ".h", ".cuh", ".cpp"))


def describe() -> dict[str, str]:
    """Return GPU, driver and versions of all that decides a verdict; what does not apply is absent."""
    import torch

    found = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "g++": _version(["g++", "-dumpfullversion"]),
        "nvcc": _match(r"V([\d.]+)", _version(["nvcc", "--version"])),
        "ninja": _version(["ninja", "--version"]),
        "platform": f"{platform.system()} {platform.machine()}",
        "grader": _sources(),
    }
    return {key: value for key, value in {**found, **_gpu()}.items() if value}


def gpu_name(machine: dict[str, str]) -> str:
    """Return the GPU's name for a file name, `no-gpu` if there is none."""
    return re.sub(r"[^a-z0-9]+", "-", machine.get("gpu", "no-gpu").lower()).strip("-")


def _sources() -> str:
    """Identify the text of this package, so that verdicts of another version are not taken for its own."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*")):
        if path.suffix in _SOURCES and root / "agreement" not in path.parents:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def _gpu() -> dict[str, str]:
    # nvidia-smi and not torch.cuda: this process must not create a CUDA context.
    line = _version(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).splitlines()
    if not line:
        return {}
    name, _, driver = line[0].partition(", ")
    return {"gpu": name, "gpus": str(len(line)), "driver": driver}


def _version(command: list[str]) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _match(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""
