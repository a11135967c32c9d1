"""`nbgrader export` without zeros that nobody gave."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins.export import ExportPlugin

from grader.notebook.answers import CHECK_PREFIX

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
"""Those of nbgrader's own export, so that what reads it reads ours."""


class ExportMarks(ExportPlugin):  # type: ignore[misc]  # nbgrader publishes no types
    """nbgrader's CSV, in which a submission with an exercise that has no mark has no score either.

    nbgrader counts such an exercise as 0.  What was not handed in is 0, as in nbgrader's own export.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write one row a student and assignment to `self.to`, by default `grades.csv`."""
        path = Path(self.to or "grades.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._rows(gradebook))
        self.log.info("Marks written to %s", path)

    def _rows(self, gradebook: Gradebook) -> Iterator[dict[str, Any]]:
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in map(str, self.assignment):
                continue
            for student in gradebook.students:
                if not self.student or student.id in map(str, self.student):
                    yield self._row(gradebook, assignment, student)

    def _row(self, gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, Any]:
        row = {
            "assignment": assignment.name,
            "duedate": assignment.duedate,
            "student_id": student.id,
            "last_name": student.last_name,
            "first_name": student.first_name,
            "email": student.email,
            "max_score": assignment.max_score,
        }
        try:
            submission = gradebook.find_submission(assignment.name, student.id)
        except MissingEntry:
            return row | {"raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0}
        penalty = submission.late_submission_penalty
        row |= {"timestamp": submission.timestamp, "late_submission_penalty": penalty}
        if missing := without_mark(submission):
            names = ", ".join(missing)
            self.log.warning(
                "%s, %s: no score, since there is no mark for %s. `grader marks` says why.",
                student.id, assignment.name, names,
            )  # fmt: skip
            return row
        return row | {"raw_score": submission.score, "score": max(0.0, submission.score - (penalty or 0.0))}


def without_mark(submission: Any) -> list[str]:
    """Return the judged exercises of a submission that have neither an automatic mark nor one by hand."""
    return [
        grade.name.removeprefix(CHECK_PREFIX)
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.name.startswith(CHECK_PREFIX) and grade.auto_score is None and grade.manual_score is None
    ]
