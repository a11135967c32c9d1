"""One operation's process: builds and warms up beside the others, then measures when it is told to.

python -m benchmarks.gpu_timing NAME SIZE...  Says READY, waits for a line, prints one JSON object a size.
"""

from __future__ import annotations

import json
import statistics
import sys
import traceback
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import torch

from benchmarks.gpu_operations import DEVICE, OPERATIONS, TIMED, Operation
from grader import toolchain
from grader.toolchain import BuildRequest

WARM = 5
Run = Callable[[], Any]


def main(name: str, sizes: list[int]) -> None:
    """Prepare, wait, measure."""
    operation = next(one for one in OPERATIONS if one.name == name)
    forms, missing = functions(operation)
    prepared = [(size, Prepared(operation, forms, size, size == min(sizes))) for size in sizes]
    for _, one in prepared:
        one.problems |= missing
    print("READY", flush=True)
    sys.stdin.readline()
    for size, one in prepared:
        print(json.dumps({"operation": name, "size": size, **one.measured()}), flush=True)


def functions(operation: Operation) -> tuple[dict[str, Callable[..., Any]], dict[str, str]]:
    """Return every form by name, and of those that do not build why."""
    with ThreadPoolExecutor() as pool:
        built = {
            form: pool.submit(_module, operation, form, *texts) for form, texts in operation.sources().items()
        }
    missing: dict[str, str] = {}
    found: dict[str, Callable[..., Any]] = {"eager": operation.composed}
    settings: Any = import_module("torch._functorch.config")
    settings.donated_buffer = False  # backward runs many times
    found["compiled"] = torch.compile(operation.composed, dynamic=False)
    for form, job in built.items():
        try:
            found[form] = getattr(job.result(), operation.function)
        except Exception as error:
            print(f"{operation.name}, {form}:\n{traceback.format_exc(limit=3)}", file=sys.stderr)
            missing[form] = f"{type(error).__name__}: {str(error).strip()[:200]}"
    return found, missing


def _module(operation: Operation, form: str, cuda: str, python: str) -> Any:
    name = f"{operation.function}_{form}"
    result = toolchain.build(BuildRequest(name=name, cuda=cuda, device=DEVICE))
    if result.library is None:
        raise RuntimeError(result.output or str(result.diagnostics))
    kernels = toolchain.load(result.library, name)
    if not python:
        return kernels
    answer = types.ModuleType(name)
    vars(answer).update(torch=torch, kernels=kernels)
    exec(compile(python, f"<{name}>", "exec"), vars(answer))
    return answer


class Prepared:
    """The forms of an operation for one size, each called once and, if asked, compared with eager."""

    def __init__(
        self, operation: Operation, forms: dict[str, Callable[..., Any]], size: int, compare: bool
    ) -> None:
        """Draw the arguments, compile and compare."""
        self.operation, self.problems = operation, {}
        self.arguments = operation.arguments(size)
        self.moved = operation.moved(self.arguments)
        self.runs: dict[str, Run] = {}
        expected: list[torch.Tensor] = []
        for form, function in forms.items():
            try:
                run = self._run(function)
                result = _flat(self._changed(function) if operation.in_place and compare else run())
                if compare:
                    expected = expected or result
                    _require_equal(result, expected)
                self.runs[form] = run
            except Exception as error:
                self.problems[form] = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"
        del expected
        torch.cuda.empty_cache()

    def _run(self, function: Callable[..., Any]) -> Run:
        if self.operation.backward:
            wanted = [one for one in self.arguments if isinstance(one, torch.Tensor)]
            out = function(*self.arguments)
            grad = torch.ones_like(out)
            return lambda: torch.autograd.grad(out, wanted, grad, retain_graph=True)

        def run() -> Any:
            with torch.no_grad():
                return function(*self.arguments)

        return run

    def _changed(self, function: Callable[..., Any]) -> Any:
        """Return what a function in place makes of a copy."""
        x, *others = self.arguments
        x = x.clone()
        function(x, *others)
        return x

    def measured(self) -> dict[str, Any]:
        """Return seconds of every form and of a copy that moves as many bytes."""
        copy = copying(self.moved)
        times = {form: seconds(run) for form, run in self.runs.items()}
        problems = dict(self.problems)
        return {"moved": self.moved, "copy": copy, "seconds": times, "problems": problems}


def _flat(result: Any) -> list[torch.Tensor]:
    if result is None:  # a function in place, whose result is not looked at
        return []
    return [result] if isinstance(result, torch.Tensor) else list(result)


def _require_equal(result: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    """Raise `ValueError` unless tensors differ by roundings: whole numbers by one, in few places."""
    for one, other in zip(result, expected, strict=True):
        if one.dtype != other.dtype or one.shape != other.shape:
            raise ValueError(f"{one.dtype} {tuple(one.shape)} differs from eager's result")
        difference = (one.float() - other.float()).abs()
        worst = float(difference.max())
        if one.is_floating_point():
            fine = worst <= 2e-4 * max(1.0, float(other.abs().max()))
        else:
            fine = worst <= 1 and float((difference > 0).double().mean()) < 1e-4
        if not fine:
            raise ValueError(f"differs from eager's result by up to {worst:g}")


def copying(moved: int) -> float:
    """Return the seconds of PyTorch's own copy of half as many bytes, each read once and written once."""
    source = torch.empty(moved // 2, dtype=torch.uint8, device=DEVICE)
    target = torch.empty_like(source)
    return seconds(lambda: target.copy_(source))


def seconds(run: Run) -> float:
    """Return the median of single calls, by events.  Everything is far larger than the L2 cache."""
    for _ in range(WARM):
        run()
    event: Any = torch.cuda.Event
    pairs = [[event(enable_timing=True) for _ in range(2)] for _ in range(TIMED)]
    for begin, end in pairs:
        begin.record()
        run()
        end.record()
    torch.cuda.synchronize()
    return float(statistics.median(begin.elapsed_time(end) for begin, end in pairs)) / 1e3


if __name__ == "__main__":
    main(sys.argv[1], [int(word) for word in sys.argv[2:]])
