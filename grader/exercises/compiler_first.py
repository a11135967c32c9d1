"""How many kernels Inductor makes of six patterns.  Out of scope: speed, dynamic shapes, training."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

from grader import inductor
from grader.checks import Build, Values
from grader.exercise import Case, Exercise, Python
from grader.toolchain import EnvironmentFault, cache

_SECONDS = 120.0


def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Elementwise from end to end."""
    return torch.sigmoid(torch.relu(x * 2 + y)) * 3


def norm_bias_silu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Normalise each row, add a bias, activate."""
    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
    h = x * scale + bias
    return h * torch.sigmoid(h)


def gather_sum(x: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
    """Fetch five rows for each group and add them up."""
    return x[groups].sum(1)


def scatter_rows(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Add each row to the row of the result that it belongs to."""
    return torch.zeros(100, x.shape[1], device=x.device).index_add(0, target, x)


def mlp(x: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
    """Two matrix products with an activation between them."""
    return torch.relu(x @ w1) @ w2


def logged_chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The first chain, with a message halfway."""
    h = torch.relu(x * 2 + y)
    print("halfway")
    return torch.sigmoid(h) * 3


def _pair(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.randn(256, 1000, device=device), torch.randn(256, 1000, device=device)


def _indexed(high: int, *shape: int) -> Any:
    def inputs(device: torch.device) -> tuple[torch.Tensor, ...]:
        return torch.randn(256, 1000, device=device), torch.randint(high, shape, device=device)

    return inputs


def _layers(device: torch.device) -> tuple[torch.Tensor, ...]:
    shapes = ((256, 512), (512, 384), (384, 128))
    return tuple(torch.randn(shape, device=device) for shape in shapes)


def _with_bias(device: torch.device) -> tuple[torch.Tensor, ...]:
    return torch.randn(256, 1000, device=device), torch.randn(1000, device=device)


PATTERNS: dict[str, inductor.Pattern] = {
    "chain": (chain, _pair),
    "norm_bias_silu": (norm_bias_silu, _with_bias),
    "gather_sum": (gather_sum, _indexed(256, 64, 5)),
    "scatter_rows": (scatter_rows, _indexed(100, 256)),
    "mlp": (mlp, _layers),
    "logged_chain": (logged_chain, _pair),
}
"""The lesson shows the functions as they stand here; a test compares them."""


@functools.cache
def counted() -> dict[str, int]:
    """Return the number of kernels of each pattern, compiled in a process of its own, once per version.

    Raises `EnvironmentFault` where this machine's PyTorch cannot compile them.
    """
    texts = [Path(str(module)).read_bytes() for module in (inductor.__file__, __file__)]
    path = (
        cache.root()
        / "inductor"
        / f"{hashlib.sha256(b''.join(texts)).hexdigest()[:16]}-{torch.__version__}.json"
    )
    if not path.exists():
        with cache.writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(f".{os.getpid()}")
            beside.write_text(_compiled())
            beside.replace(path)
    found: dict[str, int] = json.loads(path.read_text())
    return found


def _compiled() -> str:
    command = [sys.executable, "-m", "grader.inductor", __name__]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(
            f"torch.compile did not finish within {_SECONDS:g} s. Check again later."
        ) from None
    if ran.returncode:
        last = (ran.stderr.strip() or "no message").split("\n")[-1]
        raise EnvironmentFault(f"torch.compile does not work on this machine: {last}")
    return ran.stdout


EXERCISE = Exercise(
    id="compiler_first",
    lesson="01_why_an_extension",
    points=3,
    answer=Python(("kernel_counts",)),
    inputs=lambda case, draw: (),
    reference=lambda: {"kernel_counts": counted()},
    cases=(Case("six patterns", ()),),
    checks=(
        Build(),
        Values(3, "Compile that pattern and count again: inductor.kernels(pattern, *inputs).", tells=False),
    ),
    hints=(
        "Which of the six are elementwise from end to end, or elementwise around one reduction along rows? "
        "Those are what Inductor is best at.",
        "A matrix product goes to a library and is fused with nothing here. A tensor of zeros has to be "
        "written before something is added to it. What does torch.compile do at a print?",
        "len(inductor.kernels(mlp, *inputs)) is the number for one pattern. Print the kernels too: each says "
        "what was fused into it.",
    ),
)
