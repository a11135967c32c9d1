"""`Judge`: from a learner's texts to a verdict, with warm nurseries kept between calls."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from grader.exercises import UnknownExerciseError
from grader.judge import confinement
from grader.judge.answer import Answer, unattempted, unattempted_file
from grader.judge.building import Building
from grader.judge.faults import EnvironmentFault, NurseryLostError, WorkerLostError
from grader.judge.processes import Nursery
from grader.judge.tampering import tampering
from grader.verdict import CheckResult, Outcome, Verdict

if TYPE_CHECKING:
    from grader.checks.base import Bench, Check
    from grader.exercise import Exercise, Files
    from grader.judge.bench import AnswerBench

_PARENT_ENDED = (
    "The process that starts the workers ended twice while this answer ran, and not when others do. "
    "An answer must leave other processes alone: no kill, no signals."
)
_REACHING = (
    "The answer calls {names}, which loads or looks up code, or steers the simulator. An answer must call "
    "the functions that it uses by their names, and leave the process that it runs in alone."
)
PUBLIC_SEED = 0
"""What learners check against.  Autograding uses the course's own seed."""


def resolve_device(device: str) -> str:
    """Return `sim` or `cuda` for `auto`, without initialising CUDA."""
    if device != "auto":
        return device
    if not _has_driver():
        return "sim"
    import torch

    return "cuda" if torch.cuda.device_count() else "sim"


def _has_driver() -> bool:
    return any(Path(path).exists() for path in ("/dev/nvidiactl", "/dev/dxg"))


class Judge:
    """The trusted side.  A context manager: leaving it ends its processes."""

    def __init__(self, device: str | None = None, sandbox: str = "none") -> None:
        """Start the nursery for `device` at once if one is given, else when it is first needed.

        `sandbox` is one of `confinement.LEVELS`; raises `EnvironmentFault` where this machine has less.
        """
        self.confined = confinement.resolve(sandbox)
        self._nurseries: dict[str, Nursery] = {}
        if device is not None:
            self._nursery(resolve_device(device))

    def __enter__(self) -> Judge:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes."""
        self.close()

    def close(self) -> None:
        """End the nurseries and their workers."""
        for nursery in self._nurseries.values():
            nursery.close()
        self._nurseries.clear()

    def judge(
        self,
        exercise_id: str,
        answer: Answer,
        device: str = "auto",
        seed: int | None = None,
        exact: bool = False,
    ) -> Verdict:
        """Judge an answer.  `exact` builds for CUDA with PyTorch's own `load_inline`.

        Raises `UnknownExerciseError` for an unknown id, and nothing for whatever the answer does.
        """
        started = time.monotonic()
        kind = resolve_device(device)
        trial = _Trial(self, exercise_id, answer, kind, PUBLIC_SEED if seed is None else seed, exact)
        try:
            verdict = self._verdict(trial)
        except EnvironmentFault as fault:
            verdict = _unjudged(exercise_id, kind, Outcome.ENVIRONMENT, str(fault))
        except UnknownExerciseError:
            raise
        except Exception as error:
            # A fault of the judge's own costs one verdict, never a mark and never a batch.
            text = f"The judge itself failed: {type(error).__name__}: {error}. Please report this."
            verdict = _unjudged(exercise_id, kind, Outcome.ENVIRONMENT, text)
        finally:
            trial.close()
        verdict.seconds.update(trial.seconds(time.monotonic() - started))
        return verdict

    def _verdict(self, trial: _Trial) -> Verdict:
        """Judge once more after the workers' parent ended; when it ends again, the answer ended it."""
        try:
            return trial.verdict()
        except NurseryLostError:
            trial.close()
        try:
            return trial.verdict()
        except NurseryLostError:
            return trial.refused(_PARENT_ENDED)

    def _nursery(self, kind: str) -> Nursery:
        nursery = self._nurseries.get(kind)
        if nursery is None or not nursery.alive:
            if nursery is not None:
                nursery.close()
            nursery = self._nurseries[kind] = Nursery(kind, self.confined)
        return nursery


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Compute references on one thread: others would spin, waiting for work, on the worker's processor."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Trial:
    """One answer being judged.  Builds start first; torch is imported while they run."""

    def __init__(
        self, judge: Judge, exercise_id: str, answer: Answer, kind: str, seed: int, exact: bool
    ) -> None:
        self._judge, self._id, self._answer, self._kind, self._seed = judge, exercise_id, answer, kind, seed
        self._exact = exact
        self._buildings: dict[str, Building] = {}
        self._wheels: dict[str, dict[str, Any]] = {}
        self._benches: dict[str, AnswerBench] = {}
        self._undefined: bool | None = None

    def verdict(self) -> Verdict:
        """Judge; raise `EnvironmentFault` where the machine cannot, and `UnknownExerciseError`."""
        if self._kind == "cuda" and not _has_driver():
            raise EnvironmentFault("This machine has no CUDA device. Judge with --device sim, or on a GPU.")
        if _is_worth_building(self._answer):
            for kind in dict.fromkeys((self._kind, "sim")):
                self._judge._nursery(kind)
                self._buildings[kind] = Building(self._request(kind), self._judge.confined)
        from grader.exercise import Files
        from grader.exercises import get

        exercise = get(self._id)
        kinds = exercise.answer
        if isinstance(kinds, Files):
            return self._packaged(exercise, kinds)
        missing = unattempted(self._answer, kinds.needs_python, kinds.needs_cuda)
        if missing:
            return _unjudged(self._id, self._kind, Outcome.NOT_ATTEMPTED, missing, exercise.points)
        if refusal := tampering(self._answer.python) if kinds.needs_python else None:
            return self.refused(refusal)
        if not kinds.needs_cuda:
            return self._valued(exercise)
        needs = self._buildings[self._kind].result().get("missing") if self._kind == "sim" else None
        if needs:
            return _unjudged(self._id, self._kind, Outcome.NEEDS_GPU, _needs_gpu(needs), exercise.points)
        if names := self._buildings[self._kind].result().get("reaching"):
            return self.refused(_REACHING.format(names=", ".join(names)))
        return self._examined(exercise)

    def _packaged(self, exercise: Exercise, package: Files) -> Verdict:
        """Judge a package by its wheel, which a worker builds and another one installs."""
        missing = unattempted_file(self._answer, package.paths, package.may_be_empty)
        if missing:
            return _unjudged(self._id, self._kind, Outcome.NOT_ATTEMPTED, missing, exercise.points)
        lacking = [
            one for command in self._wheel(self._kind)["commands"] for one in command.get("missing", ())
        ]
        if lacking and self._kind == "sim":
            return _unjudged(self._id, self._kind, Outcome.NEEDS_GPU, _needs_gpu(lacking), exercise.points)
        return self._examined(exercise)

    def _wheel(self, kind: str) -> dict[str, Any]:
        """Return what came of building the package for a kind of device."""
        from grader.judge import packaging

        if kind not in self._wheels:
            try:
                found = packaging.wheel(self._answer.files or {}, kind, lambda: self._judge._nursery(kind))
            except WorkerLostError as loss:
                found = {"wheel": None, "output": f"setup.py {loss.what}", "commands": [], "seconds": 0.0}
            self._wheels[kind] = found
        return self._wheels[kind]

    def _package_bench(self, exercise: Exercise, package: Files, kind: str) -> AnswerBench | None:
        from grader.judge import diagnosis, packaging
        from grader.judge.bench import AnswerBench, Source

        found = self._wheel(kind)
        if kind != self._kind and found["wheel"] is None:
            return None
        files = self._answer.files or {}
        table = packaging.has_line_table(found["wheel"]) if found["wheel"] and kind == "cuda" else None
        kernel = next(path for path in package.paths if path.endswith(".cu"))
        return AnswerBench(
            exercise,
            self._judge._nursery(kind),
            diagnosis.packaged(found, files, table),
            {"library": None, "python": None, "wheel": found["wheel"], "module": package.module},
            self._seed,
            Source(files[kernel], 1, kernel),
            beside=lambda: self._bench(exercise, "sim") if kind != "sim" else None,
        )

    def refused(self, reason: str) -> Verdict:
        """Give no points."""
        from grader.exercises import get

        return _unjudged(self._id, self._kind, Outcome.FAILED, reason, get(self._id).points)

    def _examined(self, exercise: Exercise) -> Verdict:
        from grader.judge.evidence_device import bench_kind
        from grader.judge.scoring import examine

        def bench_for(check: Check) -> Bench | None:
            kind = bench_kind(check, self._kind)
            return self._bench(exercise, kind if check.name == "build" else self._trusted(exercise, kind))

        def anything_right() -> bool:
            bench = self._bench(exercise, self._trusted(exercise, self._kind))
            return bench is not None and bench.anything_right()

        with _one_thread():
            results = examine(exercise, bench_for, anything_right)
        return _judged(exercise, self._kind, results)

    def _valued(self, exercise: Exercise) -> Verdict:
        """Judge an answer of Python alone: nothing is built, and its values are the same on every device."""
        from grader.checks.base import Built
        from grader.judge.bench import AnswerBench, Source
        from grader.judge.scoring import examine

        load = {"library": None, "name": self._name, "python": self._python()}
        bench = self._benches[self._kind] = AnswerBench(
            exercise,
            self._judge._nursery(self._kind),
            Built(True),
            load,
            self._seed,
            Source("", 1, self._answer.file),
            beside=lambda: None,
        )
        return _judged(exercise, self._kind, examine(exercise, lambda check: bench, lambda: True))

    def _trusted(self, exercise: Exercise, kind: str) -> str:
        """Return the kind of device whose values decide: the simulator where a GPU's are a matter of luck."""
        from grader.judge.evidence_device import is_undefined

        if kind == "sim":
            return kind
        if self._undefined is None:
            self._undefined = is_undefined(self._bench(exercise, "sim"))
        return "sim" if self._undefined else kind

    def _bench(self, exercise: Exercise, kind: str) -> AnswerBench | None:
        """Return the bench on a kind of device; None where that device cannot run the answer."""
        from grader.exercise import Files

        if kind not in self._benches:
            package = exercise.answer if isinstance(exercise.answer, Files) else None
            made = (
                self._package_bench(exercise, package, kind) if package else self._cell_bench(exercise, kind)
            )
            if made is None:
                return None
            self._benches[kind] = made
        return self._benches[kind]

    def _cell_bench(self, exercise: Exercise, kind: str) -> AnswerBench | None:
        from grader.judge.bench import AnswerBench, Source
        from grader.judge.diagnosis import built

        result = self._buildings[kind].result()
        if kind != self._kind and not result.get("ok"):
            return None
        return AnswerBench(
            exercise,
            self._judge._nursery(kind),
            built(result),
            {"library": result.get("library"), "name": self._name, "python": self._python()},
            self._seed,
            Source(self._answer.cuda or "", self._answer.cuda_first_line, self._answer.file),
            beside=lambda: self._bench(exercise, "sim") if kind != "sim" else None,
        )

    def _python(self) -> str | None:
        text = self._answer.python
        return None if text is None else "\n" * (self._answer.python_first_line - 1) + text

    @property
    def _name(self) -> str:
        digest = hashlib.sha256((self._answer.cuda or "").encode()).hexdigest()[:12]
        return f"answer_{digest}"

    def _request(self, kind: str) -> dict[str, Any]:
        return {
            "name": self._name,
            "cuda": self._answer.cuda,
            "device": kind,
            "first_line": self._answer.cuda_first_line,
            "file": self._answer.file,
            "exact": self._exact and kind == "cuda",
        }

    def close(self) -> None:
        """End what was started for this answer; may be called again."""
        for bench in self._benches.values():
            with contextlib.suppress(EnvironmentFault):
                bench.close()
        self._benches.clear()
        for building in self._buildings.values():
            building.cancel()

    def seconds(self, total: float) -> dict[str, float]:
        """Return how `total` seconds divide into building and the rest."""
        wheels = (float(found["seconds"]) for found in self._wheels.values())
        build = max((*(building.seconds for building in self._buildings.values()), *wheels), default=0.0)
        return {"build": round(build, 3), "run": round(max(0.0, total - build), 3), "total": round(total, 3)}


def _is_worth_building(answer: Answer) -> bool:
    return unattempted(answer, needs_python=False) is None


def _needs_gpu(needs: list[dict[str, Any]]) -> str:
    first = needs[0]
    what, line = first.get("construct") or first.get("message"), first.get("line")
    place = f" (line {line})" if line else ""
    return f"This answer uses {what}{place}, which the simulator does not have. Judge it on a GPU."


def _unjudged(exercise_id: str, kind: str, outcome: Outcome, message: str, points: float = 0.0) -> Verdict:
    return Verdict(exercise_id, kind, outcome, 0.0, float(points), message=message)


def _judged(exercise: Exercise, kind: str, results: tuple[CheckResult, ...]) -> Verdict:
    passed = all(result.verdict is Outcome.PASSED for result in results)
    score = sum(result.score for result in results)
    outcome = Outcome.PASSED if passed else Outcome.FAILED
    return Verdict(exercise.id, kind, outcome, score, float(exercise.points), results)
