"""nbgrader preprocessors that make the learners' version of a lesson."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor

from grader.nbgrader.declare import cell_name
from grader.nbgrader.errors import LessonError
from grader.nbgrader.regions import RegionError, clear_answer, lint_hidden, lint_markers
from grader.notebook.answers import digest, marker

_REMEDY = "Mend the marker in the lesson and generate again (`make release`)."


class LintMarkers(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader publishes no types
    """Refuse markers that would release answers or hidden tests in silence."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Raise `LessonError` for the first misspelt or unpaired marker of the cell."""
        try:
            lint_markers(cell.source)
            lint_hidden(cell.source)
        except RegionError as error:
            raise LessonError(_lesson(resources), cell_name(index, cell), str(error), _REMEDY) from None
        return cell, resources


class ClearAnswers(ClearSolutions):  # type: ignore[misc]  # nbgrader publishes no types
    """nbgrader's ClearSolutions, with the stub chosen by the cell and starters kept.

    Writes the digest of a starter cell into its check cell, which is how a notebook knows it untouched.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Clear every cell, then tell the check cells which text counts as untouched."""
        self._starters: dict[str, str] = {}
        notebook, resources = super().preprocess(notebook, resources)
        for cell in notebook.cells:
            found = marker(cell.source) if cell.cell_type == "code" else None
            if found and found.kind == "check" and found.exercise in self._starters:
                untouched = self._starters[found.exercise]
                cell.source = f'check("{found.exercise}", untouched="{untouched}")'
        return notebook, resources

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Clear one cell; cells of no exercise are left to nbgrader."""
        found = marker(cell.source) if cell.cell_type == "code" else None
        if found is None:
            return super().preprocess_cell(cell, resources, index)
        if found.kind == "check":
            return cell, resources
        try:
            cleared = clear_answer(cell.source, found)
        except RegionError as error:
            raise LessonError(_lesson(resources), cell_name(index, cell), str(error), _REMEDY) from None
        cell.source = cleared.text
        if cleared.starter and found.kind == "cuda":
            self._starters[found.exercise] = digest(cleared.text)
        return cell, resources


def _lesson(resources: dict[str, Any]) -> str:
    """Name the lesson that is being generated."""
    return str(resources.get("nbgrader", {}).get("notebook", "notebook"))
