"""One answer on one kind of device: workers, replaced when they die, and evidence that checks share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from grader.checks.base import Bench, Built, CaseRun, Drawn, in_float64, tensors
from grader.checks.close import case_problem
from grader.exercise import Case, Draw, Exercise
from grader.judge.faults import WorkerLostError
from grader.judge.observation import (
    LOST,
    ErrorSeen,
    Observation,
    OperatorSeen,
    ValueSeen,
    parse,
    parse_error,
    parse_operator,
    parse_value,
)
from grader.judge.processes import Nursery, Worker
from grader.judge.protocol import Frame, ProtocolError, Step, encode_step
from grader.judge.several import end_to_end, joined
from grader.verdict import Place

LOAD_SECONDS = {"kernels": 60.0, "answer": 30.0, "package": 90.0}
"""How long importing the compiled module, running the Python cell, and installing a package may take."""
CALL_SECONDS = {"sim": 10.0, "cuda": 60.0}
COMPILER_SECONDS = 150.0
"""How long a step through `torch.compile`, or opcheck, may take: importing the compiler takes seconds."""
_LOSSES_ENDURED = 2
_LIES_ENDURED = 2
_WAITS_ENDURED = 4
_LUCK = 16
_DRAWN_SIZES = {1: (300, 5000), 2: (9, 90), 3: (3, 20)}


class Source:
    """The CUDA text, and the line numbers that the learner's editor shows."""

    def __init__(self, text: str, first_line: int, file: str) -> None:
        """Keep the lines."""
        self._lines, self._first, self._file = text.splitlines(), first_line, file

    def place(self, line: int) -> Place | None:
        """Return a line's place with its text, or None if there is no such line."""
        index = line - self._first
        if not 0 <= index < len(self._lines):
            return None
        return Place(line, None, self._file, self._lines[index].rstrip())


class AnswerBench:
    """What checks see of an answer (`grader.checks.base.Bench`)."""

    def __init__(
        self,
        exercise: Exercise,
        nursery: Nursery,
        built: Built,
        load: dict[str, Any],
        seed: int,
        source: Source,
        beside: Callable[[], Bench | None],
    ) -> None:
        """Take the build's result; no worker is started yet.  `load` is the worker's load request."""
        self.exercise, self.built, self.kind = exercise, built, nursery.kind
        self._nursery, self._load, self._seed, self._source = nursery, load, seed, source
        self._workers: dict[bool, Worker] = {}
        self._beside = beside
        self._losses: list[WorkerLostError] = []
        self._remembered: dict[str, Any] = {}
        self._loaded: tuple[ErrorSeen | None, tuple[str, ...]] | None = None

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()

    def loaded(self) -> tuple[ErrorSeen | None, tuple[str, ...]]:
        """Load the answer, once; a death while loading is an error like an exception."""
        if self._loaded is None:
            with contextlib.suppress(WorkerLostError):
                self._live_worker(in_order=True)
        assert self._loaded is not None
        return self._loaded

    def random(self, *labels: str) -> Draw:
        """Return random numbers for this exercise, seed and labels."""
        return Draw(self._seed, self.exercise.id, *labels)

    def draw(self, case: Case, *labels: str) -> Drawn:
        """Return arguments for a case and the reference's result."""
        case = self.sized(case)
        return self.expect(case, self.exercise.inputs(case, self.random(case.name, *labels)))

    def expect(self, case: Case, arguments: tuple[Any, ...]) -> Drawn:
        """Return these arguments and the reference's result."""
        wide = [in_float64(value) for value in arguments]
        magnitude = self.exercise.magnitude(*wide) if self.exercise.magnitude else None
        expected = self.exercise.reference(*wide)
        if not self.exercise.results:
            return Drawn(case, arguments, expected, magnitude)
        measure = None if magnitude is None else end_to_end(magnitude, torch.float64)
        return Drawn(case, arguments, end_to_end(expected, torch.float64), measure, tuple(expected))

    def sized(self, case: Case) -> Case:
        """Replace each size of -1 by one that the seed decides."""
        if -1 not in case.shape:
            return case
        draw = self.random("sizes", case.name)
        low, high = _DRAWN_SIZES[len(case.shape)]
        shape = tuple(draw.integer(low, high) if size == -1 else size for size in case.shape)
        return Case(case.name, shape, case.layout, case.dtype)

    def observe(self, step: Step) -> Observation:
        """Do a step, in a new worker if the last one is gone."""
        step = replace(step, in_place=self.exercise.in_place)
        in_order = step.in_order or self.kind == "sim"
        worker = self._live_worker(in_order)
        seconds = COMPILER_SECONDS if step.compiled else CALL_SECONDS[self.kind]
        frame = self._ask(worker, encode_step(step), seconds)
        try:
            seen = joined(self.exercise, parse(frame, len(step.calls)))
        except ProtocolError as error:
            self.close()
            self._losses.append(WorkerLostError("malformed", f"sent a malformed result ({error})"))
            raise self._losses[-1] from error
        if step.capture or (seen.error and seen.error.is_device_fault):
            # A kernel's fault stays with its process, and so does what a failed capture breaks.
            worker.end()
        return seen

    def ask(self, target: str, *arguments: int) -> ValueSeen:
        """Ask a Python answer for a function's value for whole numbers, or for what a name stands for."""
        worker = self._live_worker(in_order=True)
        request = Frame({"op": "value", "target": target, "arguments": list(arguments)})
        try:
            return parse_value(self._ask(worker, request, CALL_SECONDS[self.kind]))
        except ProtocolError as error:
            self.close()
            self._losses.append(WorkerLostError("malformed", f"sent a malformed result ({error})"))
            raise self._losses[-1] from error

    def examine_operator(self, step: Step) -> OperatorSeen:
        """Run PyTorch's own tests of an operator on a step's arguments."""
        worker = self._live_worker(in_order=True)
        request = encode_step(step)
        request.header["op"] = "opcheck"
        try:
            return parse_operator(self._ask(worker, request, COMPILER_SECONDS))
        except ProtocolError as error:
            self.close()
            raise WorkerLostError("malformed", f"sent a malformed result ({error})") from error

    def runs(self) -> tuple[CaseRun, ...]:
        """Run every case once; stop after a time-out or a few deaths, and take the last one for the rest."""
        runs: tuple[CaseRun, ...] = self.remember("cases", self._run_all)
        return runs

    def remember(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what `make` made when it was first asked for under this name."""
        if name not in self._remembered:
            self._remembered[name] = make()
        return self._remembered[name]

    def beside(self) -> Bench | None:
        """Return the simulator's bench where this is another device's."""
        return self._beside()

    def _run_all(self) -> tuple[CaseRun, ...]:
        runs: list[CaseRun] = []
        for case in self.exercise.cases:
            runs.append(self._run(case, runs))
        return tuple(runs)

    def _run(self, case: Case, before: list[CaseRun]) -> CaseRun:
        drawn = (self.draw(case, "first"), self.draw(case, "second"))
        lost = [run.seen for run in before if _is_loss(run.seen)]
        if lost and (len(lost) >= _LOSSES_ENDURED or _took_long(lost[-1])):
            return CaseRun(drawn[0].case, drawn, lost[-1])
        try:
            step = Step(self.exercise.answer.entry, tuple(one.arguments for one in drawn))
            return CaseRun(drawn[0].case, drawn, self.observe(step))
        except WorkerLostError as loss:
            return CaseRun(drawn[0].case, drawn, loss)

    def anything_right(self) -> bool:
        """Whether at least one case gives the right values, seen by the judge."""
        right: bool = self.remember(
            "right", lambda: any(case_problem(self, run) is None for run in self.runs() if _is_telling(run))
        )
        return right

    def place(self, line: int | None) -> Place | None:
        """Return the place of a line of the CUDA source."""
        return None if line is None else self._source.place(line)

    def _live_worker(self, in_order: bool) -> Worker:
        """Return the worker for plain steps, or the one where streams may run past each other.

        On a GPU the first waits for each launch, so that a race between streams cannot spoil plain values:
        it belongs to the steps that look for it.  The simulator decides that for each step.
        """
        if self._is_hopeless():
            raise self._losses[-1]
        worker = self._workers.get(in_order)
        if worker is None or not worker.alive:
            worker = self._workers[in_order] = self._nursery.fork(in_order)
            library, python = self._load["library"], self._load["python"]
            if self._load.get("wheel"):
                wheel = {"wheel": worker.bring(self._load["wheel"]), "module": self._load["module"]}
                self._load_part(worker, "package", {"op": "install", **wheel})
            if library is not None:
                request = {"op": "load", "library": worker.bring(library), "name": self._load["name"]}
                self._load_part(worker, "kernels", request)
            if python is not None and not (self._loaded and self._loaded[0]):
                self._load_part(worker, "answer", {"op": "define", "python": python})
        return worker

    def _load_part(self, worker: Worker, part: str, request: dict[str, Any]) -> None:
        """Load one of the answer's modules, `kernels` or `answer`; remember what came of it."""
        try:
            self._loaded = _parse_loaded(self._ask(worker, Frame(request), LOAD_SECONDS[part]), part)
        except WorkerLostError as loss:
            self._loaded = (ErrorSeen(part, 0, LOST, loss.what), ())
            raise

    def _ask(self, worker: Worker, frame: Frame, seconds: float) -> Frame:
        try:
            return worker.ask(frame, seconds)
        except WorkerLostError as loss:
            self._losses.append(loss)
            worker.end()
            raise

    def _is_hopeless(self) -> bool:
        """Whether more workers would only cost time: the answer lies, or takes all the time that it is given.

        Only an answer that forges messages sends a malformed one.
        """
        reasons = [loss.reason for loss in self._losses]
        return reasons.count("malformed") >= _LIES_ENDURED or reasons.count("time-out") >= _WAITS_ENDURED


def _is_telling(run: CaseRun) -> bool:
    """Whether a case has enough elements, of the result or of a sum, not to be right by luck."""
    drawn = run.drawn[0]
    return max(one.numel() for one in (drawn.expected, *tensors(drawn.arguments))) > _LUCK


def _is_loss(seen: Observation | WorkerLostError) -> bool:
    """Whether more of the same would only cost time: taking all memory that there is takes seconds."""
    if isinstance(seen, WorkerLostError) or _took_long(seen):
        return True
    return seen.error is not None and seen.error.type == "MemoryError"


def _took_long(seen: Observation | WorkerLostError) -> bool:
    """Whether the call, or a kernel on the simulator, was given up."""
    if isinstance(seen, WorkerLostError):
        return seen.reason == "time-out"
    return any(report.get("kind") in ("deadlock", "warp_divergence") for report in seen.reports)


def _parse_loaded(frame: Frame, part: str) -> tuple[ErrorSeen | None, tuple[str, ...]]:
    """Return what came of loading `part`; the judge knows itself which part it asked for."""
    functions = frame.header.get("functions")
    try:
        error = parse_error(frame.header.get("error"))
    except ProtocolError as problem:
        raise WorkerLostError("malformed", f"sent a malformed result ({problem})") from problem
    if not isinstance(functions, dict):
        raise WorkerLostError("malformed", "sent a malformed result (functions expected)")
    return error and replace(error, phase=part), tuple(str(name) for name in functions)
