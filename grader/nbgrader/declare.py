"""An authored lesson (MyST) as nbgrader's source notebook, with ids, points and locks derived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from grader.nbgrader.errors import LessonError
from grader.nbgrader.regions import RegionError, clear_answer, has_regions, lint_hidden, lint_markers
from grader.notebook.answers import CHECK_PREFIX, Marker, marker
from grader.notebook.declarations import Declared, find

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_REMEDY = "Mend it as docs/authoring.md says and run `make release`."


def source_notebook(lesson: Path) -> NotebookNode:
    """Return the source notebook of `solutions/NN_topic.md`, model answers included.

    Raises `LessonError` for anything that would release an answer, lose a mark or confuse nbgrader.
    """
    try:
        authored = jupytext.reads(lesson.read_text(encoding="utf-8"), fmt="md:myst")
    except UnicodeDecodeError as error:
        raise LessonError(lesson.name, "1", f"not UTF-8 text ({error.reason})", "Save it as UTF-8.") from None
    cells = [_declared_cell(lesson, index, cell) for index, cell in enumerate(authored.cells)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = NotebookNode(
        kernelspec=NotebookNode(KERNELSPEC), language_info=NotebookNode(name="python")
    )
    notebook.nbformat_minor = 5
    _lint_exercises(lesson, notebook)
    return notebook


def cell_name(index: int, cell: NotebookNode) -> str:
    """Name a cell in a message: its number and its first line."""
    first = cell.source.strip().split("\n", 1)[0]
    return f"{index + 1} ({first[:40]!r})"


def _declared_cell(lesson: Path, index: int, authored: NotebookNode) -> NotebookNode:
    """Return the cell with a stable id and nbgrader's metadata; lint its markers."""
    name = cell_name(index, authored)
    found = marker(authored.source) if authored.cell_type == "code" else None
    _lint_cell(lesson.name, name, authored, found)
    metadata: dict[str, Any] = {key: authored.metadata[key] for key in ("tags",) if key in authored.metadata}
    if found:
        metadata["nbgrader"] = _nbgrader(lesson, name, found)
    elif "nbgrader" in authored.metadata:
        metadata["nbgrader"] = _plain(authored)
    grade_id = metadata.get("nbgrader", {}).get("grade_id")
    make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    new = make.get(authored.cell_type, nbformat.v4.new_raw_cell)
    return new(
        source=authored.source,
        id=str(grade_id)[:64] if grade_id else f"cell-{index + 1:03d}",
        metadata=NotebookNode(nbformat.from_dict(metadata)),
    )


def _nbgrader(lesson: Path, name: str, found: Marker) -> dict[str, Any]:
    """Return nbgrader's metadata of an answer or check cell."""
    declared = _find(lesson, name, found.exercise)
    if declared.lesson != lesson.stem:
        raise LessonError(
            lesson.name, name, f"{found.exercise} belongs to lesson {declared.lesson}", "Move the cell there."
        )
    check = found.kind == "check"
    metadata = {
        "grade": check,
        "grade_id": found.grade_id,
        "locked": check,
        "schema_version": 3,
        "solution": not check,
        "task": False,
    }
    return metadata | ({"points": declared.points} if check else {})


def _plain(authored: NotebookNode) -> dict[str, Any]:
    """Return an author's own nbgrader metadata, completed with nbgrader's defaults."""
    defaults = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3}
    return defaults | dict(authored.metadata["nbgrader"])


def _find(lesson: Path, name: str, exercise: str) -> Declared:
    try:
        return find(exercise)
    except LookupError as error:
        raise LessonError(lesson.name, name, str(error), _REMEDY) from None


def _lint_cell(lesson: str, name: str, cell: NotebookNode, found: Marker | None) -> None:
    """Refuse markers that are misspelt, out of place or missing."""
    try:
        lint_markers(cell.source)
        lint_hidden(cell.source)
        if found and found.kind != "check":
            clear_answer(cell.source, found)
    except RegionError as error:
        raise LessonError(lesson, name, str(error), _REMEDY) from None
    answer = found is not None and found.kind != "check"
    if answer and not has_regions(cell.source):
        raise LessonError(lesson, name, "an answer cell without a SOLUTION region", _REMEDY)
    plain_solution = cell.metadata.get("nbgrader", {}).get("solution", False)
    if has_regions(cell.source) and not answer:
        if not plain_solution:
            raise LessonError(lesson, name, "a SOLUTION region in a cell that is no answer", _REMEDY)
        if cell.source.startswith("%%"):
            magic = cell.source.split("\n", 1)[0]
            raise LessonError(lesson, name, f"there is no stub for a {magic!r} cell", _REMEDY)


def _lint_exercises(lesson: Path, notebook: NotebookNode) -> None:
    """Refuse ids that occur twice, and exercises whose cells are not all there or out of order."""
    places: dict[str, int] = {}
    for index, cell in enumerate(notebook.cells):
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in places:
            first = cell_name(places[grade_id], notebook.cells[places[grade_id]])
            raise LessonError(
                lesson.name, cell_name(index, cell), f"{grade_id!r} is cell {first} too", "Remove one."
            )
        if grade_id:
            places[grade_id] = index
    for index, cell in enumerate(notebook.cells):
        found = marker(cell.source) if cell.cell_type == "code" else None
        if found:
            _lint_partners(lesson, cell_name(index, cell), found, places)


def _lint_partners(lesson: Path, name: str, found: Marker, places: dict[str, int]) -> None:
    """Refuse a check cell without the answers above it, and an answer that nothing checks."""
    declared = _find(lesson, name, found.exercise)
    check = places.get(CHECK_PREFIX + found.exercise)
    if check is None:
        remedy = f"Add a cell `{Marker('check', found.exercise).first_line}` below it."
        raise LessonError(lesson.name, name, f"{found.exercise} has no check cell", remedy)
    if found.kind not in (*declared.kinds, "check"):
        raise LessonError(lesson.name, name, f"{found.exercise} takes no {found.kind} answer", "Remove it.")
    for kind in declared.kinds:
        wanted = Marker(kind, found.exercise)
        if places.get(wanted.grade_id, check) >= check:
            remedy = f"Add a cell above it that begins with `{wanted.first_line}`."
            raise LessonError(lesson.name, name, f"{found.exercise} has no {kind} answer cell", remedy)
