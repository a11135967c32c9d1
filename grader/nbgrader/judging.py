"""Autograding: answer cells go to the judge as text, its verdict into the check cell.

No learner code runs here, and nothing of the submission but the answers' text is read.
"""

from __future__ import annotations

from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Unicode

from grader.nbgrader.errors import UngradedError
from grader.nbgrader.released import ReleasedCell, released_cells
from grader.nbgrader.restore import NOTES, untouched
from grader.nbgrader.seed import secret_seed
from grader.nbgrader.warm import warm_judge
from grader.notebook import card
from grader.notebook.answers import CHECK_PREFIX, Marker, marker, without_magic
from grader.notebook.checking import picture
from grader.notebook.declarations import Declared, find
from grader.verdict import Outcome, Verdict

VERDICT_TYPE = "application/vnd.grader.verdict+json"
"""Output type under which an autograded notebook keeps the verdict and the notes."""


class JudgeAnswers(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader publishes no types
    """Judge each exercise of a submission and write the verdict into its check cell.

    Raises `UngradedError` when an exercise could not be judged for reasons of the machine: nbgrader then
    drops this submission's autograded copy, goes on with the next one and reports the failure at the end.
    """

    judge_factory = Unicode("grader.notebook.judging.CellJudge", help="Makes the judge.").tag(config=True)
    device = Unicode("auto", help="auto, sim or cuda.").tag(config=True)
    sandbox = Unicode("best", help="How answers are confined: none, best or full (`grader doctor`).").tag(
        config=True
    )
    seed_file = Unicode("", help="The file with the course's secret seed.").tag(config=True)

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Judge every released exercise; outputs of the submission were dropped before."""
        released = released_cells(resources)
        notes = notebook.metadata.get(NOTES, {})
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            found = marker(released[grade_id].source) if grade_id in released else None
            if found and found.kind == "check":
                verdict = self._judge(found.exercise, notebook, released)
                told = list(notes.get(found.exercise, []))
                if verdict.verdict is Outcome.ENVIRONMENT:
                    leave_ungraded(resources, grade_id, card.plain(verdict, told))
                self.log.info("%s", card.headline(verdict, timed=True))
                write_verdict(cell, verdict, told)
        return notebook, resources

    def _judge(self, exercise: str, notebook: NotebookNode, released: dict[str, ReleasedCell]) -> Verdict:
        """Return the verdict on one exercise."""
        try:
            declared = find(exercise)
        except LookupError as error:
            message = f"{error} Install the version of the course that this lesson was released with."
            return Verdict(exercise, self.device, Outcome.ENVIRONMENT, 0.0, 0.0, message=message)
        texts = _texts(declared, notebook, released)
        if texts is None:
            return not_attempted(declared, self.device)
        seed = secret_seed(self.seed_file, exercise)
        return warm_judge(self.judge_factory, self.sandbox).judge(
            exercise, texts, device=self.device, seed=seed
        )


class SaveVerdicts(SaveAutoGrades):  # type: ignore[misc]  # nbgrader publishes no types
    """nbgrader's SaveAutoGrades; what only a GPU can judge gets no automatic mark but a look by hand."""

    def _add_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        super()._add_score(cell, resources)
        verdict = stored_verdict(cell)
        if verdict and verdict["verdict"] == Outcome.NEEDS_GPU:
            grade_id = cell.metadata["nbgrader"]["grade_id"]
            grade = self.gradebook.find_grade(grade_id, self.notebook_id, self.assignment_id, self.student_id)
            grade.auto_score = None
            grade.needs_manual_grade = True
            self.gradebook.db.commit()


def write_verdict(cell: NotebookNode, verdict: Verdict, notes: list[str]) -> None:
    """Write the verdict as the check cell's only output; nbgrader reads the plain number of it."""
    available = float(cell.metadata["nbgrader"]["points"])
    share = verdict.score / verdict.max_score if verdict.max_score > 0 else 0.0
    score = round(min(max(share, 0.0), 1.0) * available, 4)
    data = {
        "text/html": card.html(verdict, notes, picture),
        "text/plain": repr(float(score)),
        VERDICT_TYPE: verdict.to_json() | {"notes": notes},
    }
    output = nbformat.v4.new_output("execute_result", data=data, execution_count=None)
    cell.outputs = [output]


def stored_verdict(cell: NotebookNode) -> dict[str, Any] | None:
    """Return the verdict that `write_verdict` wrote into a check cell; None for any other cell."""
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    if not grade_id.startswith(CHECK_PREFIX):
        return None
    for output in cell.get("outputs", []):
        found = output.get("data", {}).get(VERDICT_TYPE)
        if found is not None:
            return dict(found)
    return None


def not_attempted(declared: Declared, device: str) -> Verdict:
    """Return the verdict on an exercise whose cells are as released, or are not there."""
    message = "The answer is as it was released."
    return Verdict(declared.id, device, Outcome.NOT_ATTEMPTED, 0.0, declared.points, message=message)


def leave_ungraded(resources: dict[str, Any], grade_id: str, reason: str) -> None:
    """Mark the grade for a look by hand, keep whatever mark there was, and raise `UngradedError`."""
    where = resources["nbgrader"]
    with Gradebook(where["db_url"]) as gradebook:
        grade = gradebook.find_grade(grade_id, where["notebook"], where["assignment"], where["student"])
        grade.needs_manual_grade = True
        gradebook.db.commit()
    exercise = grade_id.removeprefix(CHECK_PREFIX)
    raise UngradedError(
        f"{where['student']}, {where['notebook']}, {exercise}: could not be judged; no mark is recorded.\n"
        f"{reason}\nMend the machine and run `nbgrader autograde {where['assignment']}` again: "
        "submissions that have their marks are not graded twice."
    )


def _texts(
    declared: Declared, notebook: NotebookNode, released: dict[str, ReleasedCell]
) -> dict[str, str] | None:
    """Return the submitted text of each answer cell by kind, empty for a missing one.

    None when nothing was attempted.
    """
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    texts: dict[str, str] = {}
    attempted = False
    for kind in declared.kinds:
        grade_id = Marker(kind, declared.id).grade_id
        if (cell := cells.get(grade_id)) is None:
            texts[kind] = ""
            continue
        texts[kind] = cell.source if kind == "python" else without_magic(cell.source)
        attempted |= not (grade_id in released and untouched(released[grade_id], cell.source))
    return texts if attempted else None
