"""What a check is, and what the judge gives it to look at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch

from grader.exercise import Case, Draw, Exercise
from grader.judge.faults import WorkerLostError
from grader.judge.observation import ErrorSeen, Observation, OperatorSeen, ValueSeen
from grader.judge.protocol import Placed, Step
from grader.verdict import Outcome, Place


@dataclass(frozen=True)
class Finding:
    """What a check says: an outcome, and for anything but a plain pass the reason."""

    outcome: Outcome
    message: str = ""
    where: Place | None = None
    details: tuple[dict[str, Any], ...] = ()


PASSED = Finding(Outcome.PASSED)


def failed(message: str, where: Place | None = None, details: Sequence[dict[str, Any]] = ()) -> Finding:
    """Return the finding that the answer is wrong."""
    return Finding(Outcome.FAILED, message, where, tuple(details))


@dataclass(frozen=True)
class Drawn:
    """Arguments drawn for a case, and what the reference makes of them in float64."""

    case: Case
    arguments: tuple[Any, ...]
    expected: torch.Tensor
    magnitude: torch.Tensor | None = None
    """What the tolerance is measured in; the result itself if None."""
    parts: tuple[torch.Tensor, ...] = ()
    """What each of several results should be; `expected` and `magnitude` are these end to end."""


@dataclass(frozen=True)
class CaseRun:
    """Two calls with a case's shape and different values, and what was seen of them."""

    case: Case
    drawn: tuple[Drawn, ...]
    seen: Observation | WorkerLostError


@dataclass(frozen=True)
class Built:
    """What building the CUDA source came to."""

    ok: bool
    functions: tuple[str, ...] = ()
    message: str = ""
    where: Place | None = None
    details: tuple[dict[str, Any], ...] = ()
    commands: tuple[dict[str, Any], ...] = ()
    """For a package: the commands that its build called compilers with."""
    line_table: bool | None = None
    """For a package on a GPU: whether the code for the device says which lines it comes from."""


class Bench(Protocol):
    """One answer on one kind of device."""

    exercise: Exercise
    kind: str
    built: Built

    def loaded(self) -> tuple[ErrorSeen | None, tuple[str, ...]]:
        """Load the answer in a worker; return the error, or the functions as `kernels.f` and `answer.g`."""

    def random(self, *labels: str) -> Draw:
        """Return random numbers that the seed and the labels decide."""

    def draw(self, case: Case, *labels: str) -> Drawn:
        """Return arguments for a case; other labels, other values."""

    def expect(self, case: Case, arguments: tuple[Any, ...]) -> Drawn:
        """Return these arguments and what the reference makes of them."""

    def observe(self, step: Step) -> Observation:
        """Do a step in a worker; raise `WorkerLostError` if it gave no result."""

    def sized(self, case: Case) -> Case:
        """Return the case with each size of -1 replaced by one that the seed decides."""

    def ask(self, target: str, *arguments: int) -> ValueSeen:
        """Ask a Python answer for a value; raise `WorkerLostError` if it gave none."""

    def examine_operator(self, step: Step) -> OperatorSeen:
        """Run PyTorch's own tests of an operator; raise `WorkerLostError` if that gave no result."""

    def runs(self) -> tuple[CaseRun, ...]:
        """Return the standard run of every case.  It is made once and shared by all checks."""

    def remember(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what `make` made when it was first asked for under this name."""

    def beside(self) -> Bench | None:
        """Return the simulator's bench of the same answer, if this is another device's."""

    def place(self, line: int | None) -> Place | None:
        """Return the place of a line of the CUDA source, with its text."""


@dataclass(frozen=True)
class Check(ABC):
    """One property.  Points are earned by the property holding, seen by the judge."""

    points: int = 1
    name: ClassVar[str]
    on_sim: ClassVar[bool] = False
    """Whether the evidence comes from the simulator's run even when judging on CUDA."""
    vacuous_without_values: ClassVar[bool] = True
    """Whether passing says nothing for an answer that computes no case correctly."""
    needs_values: ClassVar[bool] = False
    """Whether there is nothing to look at before one case is right: the check itself compares values."""
    devices: ClassVar[int] = 1
    """How many devices of the kind the evidence needs."""
    zeroes_score: ClassVar[bool] = False
    """Whether failing takes every point."""

    @abstractmethod
    def run(self, bench: Bench) -> Finding:
        """Look at the answer."""


def tensors(arguments: Sequence[Any]) -> list[torch.Tensor]:
    """Return the tensors among arguments, in the order in which the worker lists inputs."""
    found: list[torch.Tensor] = []
    for value in arguments:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, Placed):
            found.append(value.tensor)
        elif isinstance(value, (list, tuple)):
            found += tensors(value)
    return found


def tensor_names(parameters: Sequence[str], arguments: Sequence[Any]) -> list[str]:
    """Return a name for each of `tensors(arguments)`: the parameter's, with an index inside a list."""
    names: list[str] = []
    for parameter, value in zip(parameters, arguments, strict=False):
        if isinstance(value, (list, tuple)):
            names += [f"{parameter}[{index}]" for index in range(len(value))]
        elif isinstance(value, (torch.Tensor, Placed)):
            names.append(parameter)
    return names


def in_float64(value: Any) -> Any:
    """Return an argument as the reference takes it: tensors, those in lists too, in float64."""
    if isinstance(value, (list, tuple)):
        return [in_float64(item) for item in value]
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def observations(bench: Bench) -> list[tuple[Case, Observation]]:
    """Return the standard runs that gave a result."""
    return [(run.case, run.seen) for run in bench.runs() if isinstance(run.seen, Observation)]
