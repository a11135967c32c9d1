"""What the gradebook knows of a released notebook: the truth that a submission is held to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nbgrader.api import Gradebook

from grader.notebook.answers import is_check


@dataclass(frozen=True)
class ReleasedCell:
    """One cell with an nbgrader id, as it was released."""

    grade_id: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None

    @property
    def metadata(self) -> dict[str, Any]:
        """Return nbgrader's metadata of this cell."""
        metadata = {
            "cell_type": self.cell_type,
            "checksum": self.checksum,
            "grade": self.grade,
            "grade_id": self.grade_id,
            "locked": self.locked,
            "schema_version": 3,
            "solution": self.solution,
            "task": self.task,
        }
        return metadata if self.points is None else metadata | {"points": self.points}

    @property
    def plain_test(self) -> bool:
        """Whether nbgrader itself runs and scores this cell."""
        test = self.grade and not self.solution and self.cell_type == "code"
        return test and not is_check(self.source)


def released_cells(resources: dict[str, Any]) -> dict[str, ReleasedCell]:
    """Return the released cells of the notebook that nbgrader is converting, by id."""
    where = resources["nbgrader"]
    with Gradebook(where["db_url"]) as gradebook:
        notebook = gradebook.find_notebook(where["notebook"], where["assignment"])
        points = {cell.name: float(cell.max_score) for cell in (*notebook.grade_cells, *notebook.task_cells)}
        grade, solution, task = (
            {cell.name for cell in cells}
            for cells in (notebook.grade_cells, notebook.solution_cells, notebook.task_cells)
        )
        return {
            cell.name: ReleasedCell(
                grade_id=cell.name,
                cell_type=cell.cell_type,
                source=cell.source or "",
                checksum=cell.checksum or "",
                locked=bool(cell.locked),
                grade=cell.name in grade,
                solution=cell.name in solution,
                task=cell.name in task,
                points=points.get(cell.name),
            )
            for cell in notebook.source_cells
        }
