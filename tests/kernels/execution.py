"""Build forms for a device, all those of a kernel in one unit, and run each in a process of its own."""

from __future__ import annotations

import multiprocessing
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from grader.toolchain import BuildRequest, BuildResult, build
from tests.kernels.corpus import Form, forms

ORDERS = ("ascending", "descending", "random")
_INCLUDE = re.compile(r"^#include.*$", re.MULTILINE)
_starting = threading.Lock()


@dataclass(frozen=True)
class Observation:
    """What a run showed.  `values` is `right`, `wrong` or `none`, `error` what was raised in their place."""

    values: str = "none"
    error: str = ""
    reports: list[dict[str, Any]] = field(default_factory=list)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of all reports."""
        return frozenset(report["kind"] for report in self.reports)


def built(form: Form, device: str) -> BuildResult:
    """Build a form with the others of its kernel, or find it built; alone if one of them does not compile."""
    together = [other for other in forms() if other.kernel == form.kernel]
    request = BuildRequest("kernels", unit_of(together), functions=list(map(_entry, together)), device=device)
    result = build(request)
    if result.ok or form not in together:
        return result
    return build(BuildRequest("kernels", unit_of([form]), functions=[_entry(form)], device=device))


def unit_of(together: Sequence[Form]) -> str:
    """Return one text for several forms, each in a namespace of its own: PyTorch's headers are read once."""
    includes = dict.fromkeys(line for form in together for line in _INCLUDE.findall(form.source))
    parts = [f"namespace {form.path.stem} {{\n{_INCLUDE.sub('', form.source)}\n}}" for form in together]
    return "\n".join([*includes, *parts, *map(_entry_of, together)])


def _entry(form: Form) -> str:
    return f"run_{form.path.stem}"


def _entry_of(form: Form) -> str:
    given = re.search(r"^torch::Tensor run\(([^)]*)\)", form.source, re.MULTILINE)
    assert given, f"{form.name} has no host function torch::Tensor run(...)"
    names = ", ".join(re.findall(r"(\w+)\s*(?:,|$)", given[1]))
    return f"torch::Tensor {_entry(form)}({given[1]}) {{ return {form.path.stem}::run({names}); }}"


def observe(
    form: Form, library: Path, device: str, orders: Sequence[str] = ("ascending",), seconds: float = 60.0
) -> list[Observation]:
    """Run a form once in each order, all in one new process, and return what was seen.

    A process that dies or overruns `seconds` leaves its last observation with an error.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"tests.kernels.warm_{device}"])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, form.path, library, device, tuple(orders)))
    with _starting:
        process.start()
    there.close()
    try:
        return _received(here, len(orders), seconds)
    finally:
        here.close()
        process.kill()
        process.join()


def _received(connection: Connection, count: int, seconds: float) -> list[Observation]:
    found: list[Observation] = []
    while len(found) < count:
        if not connection.poll(seconds):
            return [*found, Observation(error=f"no end within {seconds:g} s")]
        try:
            found.append(connection.recv())
        except EOFError:
            return [*found, Observation(error="the process died")]
    return found


def run_here(path: Path, library: Path, device: str) -> Observation:
    """Run a form in this process, whatever becomes of the device."""
    return _called(_loaded(library, path), path, device)


def _serve(connection: Connection, path: Path, library: Path, device: str, orders: Sequence[str]) -> None:
    run = _loaded(library, path)
    for order in orders:
        connection.send(_on_sim(run, path, order) if device == "sim" else _called(run, path, device))


def _loaded(library: Path, path: Path) -> Any:
    import torch

    from grader.toolchain import load

    torch.set_num_threads(1)
    return getattr(load(library, "kernels"), _entry(Form(path)))


def _on_sim(run: Any, path: Path, order: str) -> Observation:
    from grader import simulator

    simulator.set_order(order)
    simulator.set_grid_seconds(10.0)
    simulator.reports()
    seen = _called(run, path, "sim")
    return Observation(seen.values, seen.error, simulator.reports())


def _called(run: Any, path: Path, device: str) -> Observation:
    """Call `run` on a side stream and compare what it returns."""
    import torch

    from tests.kernels.programs import PROGRAMS

    program = PROGRAMS[path.parent.name]
    given = program.inputs()
    wanted = program.expected(*[tensor.clone() for tensor in given])
    try:
        on_device = [tensor.to(device) for tensor in given]
        default = torch.get_device_module(device).current_stream()
        side = torch.Stream(device=device)
        side.wait_stream(default)
        with side:
            _make_faults_show(device)
            result = program.call(run, *on_device)
        default.wait_stream(side)
        got = result.cpu()
    except RuntimeError as error:
        return Observation(error=str(error))
    return Observation("right" if program.accepts(got, wanted) else "wrong")


def _make_faults_show(device: str) -> None:
    """Leave no zeros in memory to come, and keep the stream busy: other streams' work comes too early."""
    import torch

    if device == "cuda":
        torch.full((1 << 17,), float("nan"), device=device)
        torch.cuda._sleep(10_000_000)  # type: ignore[no-untyped-call]
