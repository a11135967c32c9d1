"""What `torch.compile` makes of a function: the kernels that Inductor would emit, and their source.

A kernel is one node that Inductor's scheduler hands to code generation after fusion: one Triton kernel on a
GPU, one pass over memory (a loop nest) on a CPU, or one call of a library.  Views and empty nodes are none.
`docs/decisions/0062-what-counts-as-a-kernel.md` says why.  Nothing here runs what was compiled but `source`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Pattern = tuple[Callable[..., Any], Callable[[torch.device], tuple[torch.Tensor, ...]]]
"""A function, and what makes its inputs on a device."""
_SOURCE = re.compile(r"async_compile\.\w+\(.*?r?'''(?P<text>.*?)'''", re.DOTALL)


@dataclass(frozen=True)
class Kernel:
    """One kernel: `generated` by Inductor, or a call of a `library`, and the operations fused into it."""

    kind: str
    operations: tuple[str, ...]

    def __str__(self) -> str:
        """Return it in one line."""
        return f"{self.kind}: {', '.join(self.operations)}"


def device() -> torch.device:
    """Return where Inductor compiles for: the GPU where the course runs on one, else the CPU."""
    from grader.toolchain import device as chosen

    return torch.device("cuda" if torch.device(chosen).type == "cuda" else "cpu")


def kernels(function: Callable[..., Any], *inputs: torch.Tensor) -> tuple[Kernel, ...]:
    """Return the kernels that Inductor emits for a call, in order, of all graphs if the graph breaks."""
    found: list[Kernel] = []

    def backend(graph: Any, examples: Sequence[Any]) -> Callable[..., Any]:
        found.extend(_fused(graph, examples))
        run: Callable[..., Any] = graph.forward
        return run

    torch._dynamo.reset()
    torch.compile(function, backend=backend, dynamic=False)(*inputs)
    return tuple(found)


def source(function: Callable[..., Any], *inputs: torch.Tensor) -> str:
    """Compile and call a function, and return the source of its generated kernels: C++ or Triton."""
    from torch._inductor.utils import run_and_get_code

    torch._dynamo.reset()
    _, modules = run_and_get_code(torch.compile(function, dynamic=False), *inputs)
    return "\n".join(match["text"].strip() for text in modules for match in _SOURCE.finditer(text))


class _Enough(Exception):  # noqa: N818  (no error: the scheduler has said all that is asked for)
    """Ends a compilation after fusion, before code is generated and a compiler started."""


def _fused(graph: Any, examples: Sequence[Any]) -> list[Kernel]:
    """Return the kernels of one graph."""
    from torch._functorch import config as autograd_config
    from torch._inductor import config
    from torch._inductor.compile_fx import compile_fx

    seen: list[Kernel] = []
    looked: list[bool] = []

    def look(nodes: list[Any]) -> list[Any]:
        seen.extend(_kernels(nodes))
        looked.append(True)
        raise _Enough

    uncached = autograd_config.patch(enable_autograd_cache=False)
    with uncached, config.patch(_post_fusion_custom_pass=look, fx_graph_cache=False):
        try:
            compile_fx(graph, list(examples))
        except Exception:
            if not looked:
                raise
    return seen


def _kernels(nodes: Sequence[Any]) -> list[Kernel]:
    """Return one kernel for each node that computes: neither an empty one nor a part of a call's results."""
    computing = [node for node in nodes if type(node).__name__ != "NopKernelSchedulerNode"]
    computing = [node for node in computing if type(getattr(node, "node", None)).__name__ != "MultiOutput"]
    called = {name for node in computing if _is_library(node) for name in _operations(node)[-1:]}
    return [_kernel(node, called) for node in computing]


def _is_library(node: Any) -> bool:
    return type(node).__name__ == "ExternKernelSchedulerNode"


def _operations(node: Any) -> list[str]:
    """Return the names of the operations that a node comes from, in the graph's order."""
    origins = {one for part in node.get_nodes() for one in getattr(part.node, "origins", ())}
    order = {one: place for first in list(origins)[:1] for place, one in enumerate(first.graph.nodes)}
    return [str(one.name) for one in sorted(origins, key=lambda one: order.get(one, 0))]


def _kernel(node: Any, called: set[str]) -> Kernel:
    """Name a kernel's operations; Inductor lists a call among the origins of what is computed for it."""
    names = _operations(node)
    if _is_library(node):
        return Kernel("library", tuple(names[-1:]))
    return Kernel("generated", tuple(name for name in names if name not in called))


def counts(patterns: Mapping[str, Pattern], where: torch.device) -> dict[str, int]:
    """Return how many kernels each pattern becomes on a device."""
    return {name: len(kernels(function, *inputs(where))) for name, (function, inputs) in patterns.items()}


def main(arguments: Sequence[str]) -> int:
    """Write the counts of a module's `PATTERNS` on the CPU as JSON.

    What the patterns print goes to standard error.
    """
    (module,) = arguments
    with contextlib.redirect_stdout(sys.stderr):
        patterns: Mapping[str, Pattern] = importlib.import_module(module).PATTERNS
        found = counts(patterns, torch.device("cpu"))
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
