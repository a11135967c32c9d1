"""Bring a submission back to the shape of the release before it is graded.

Learners delete, duplicate, split, move and retype cells, change their type, and hand in older releases.
Ids, points, locks and types come from the gradebook, never from the submission.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from grader.nbgrader.released import ReleasedCell, released_cells
from grader.notebook.answers import digest, is_check, is_stub, marker

NOTES = "grader_notes"
"""Notebook metadata: what was restored, by exercise; written here only."""


class RestoreCells(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader publishes no types
    """Make every released cell occur once, with the release's metadata.

    Of several answers to one exercise the last above its check cell counts, as in a notebook that is run
    from top to bottom; a stub never counts when there is another.  The parts of a split cell are joined.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the notebook restored; what was done is noted for the feedback."""
        released = released_cells(resources)
        restored = restore(notebook, released)
        for exercise, notes in restored.notes.items():
            for note in notes:
                self.log.warning("%s: %s", exercise, note)
        notebook.cells = restored.cells
        notebook.metadata[NOTES] = nbformat.from_dict(restored.notes)
        return notebook, resources


@dataclass
class Restored:
    """The cells of a restored notebook, and what had to be done, by exercise or cell id."""

    cells: list[NotebookNode]
    notes: dict[str, list[str]] = field(default_factory=dict)

    def note(self, name: str, text: str) -> None:
        """Remember something that the learner should be told."""
        self.notes.setdefault(name, []).append(text)


@dataclass
class _Claim:
    """A submitted cell that claims a released id, by its metadata or by its first line."""

    cell: NotebookNode
    by_metadata: bool
    by_marker: bool


def restore(notebook: NotebookNode, released: dict[str, ReleasedCell]) -> Restored:
    """Return the submission's cells with each released cell once and as released, but for its answers."""
    result = Restored(list(notebook.cells))
    claims = _claims(result.cells, released)
    _drop_claims(result)
    for grade_id, cell in released.items():
        if is_check(cell.source):
            _place_check(result, cell, claims.get(grade_id, []))
    for grade_id, cell in released.items():
        if not is_check(cell.source):
            _place_other(result, cell, claims.get(grade_id, []))
    _unique_ids(result.cells)
    return result


def _claims(cells: list[NotebookNode], released: dict[str, ReleasedCell]) -> dict[str, list[_Claim]]:
    """Return, by released id, the submitted cells that claim it, in notebook order."""
    claims: dict[str, list[_Claim]] = {}
    for cell in cells:
        stated = cell.metadata.get("nbgrader")
        stated_id = stated.get("grade_id") if isinstance(stated, dict) else None
        found = marker(cell.source)
        if found and cell.cell_type != "code" and found.grade_id != stated_id:
            found = None
        marked_id = found.grade_id if found else None
        # A first line says what a kernel would make of the cell, so it outweighs copied metadata.
        grade_id = marked_id if marked_id in released else stated_id
        if isinstance(grade_id, str) and grade_id in released:
            claims.setdefault(grade_id, []).append(_Claim(cell, stated_id == grade_id, marked_id == grade_id))
    return claims


def _drop_claims(result: Restored) -> None:
    """Remove all of nbgrader's metadata that came with the submission."""
    for cell in result.cells:
        cell.metadata.pop("nbgrader", None)


def _place_check(result: Restored, cell: ReleasedCell, claims: list[_Claim]) -> None:
    """Keep the last check cell of an exercise, or put it back at the end."""
    exercise = _exercise(cell)
    if not claims:
        result.note(exercise, "The check cell was missing and was put back.")
        result.cells.append(_fresh(cell))
        return
    if len(claims) > 1:
        result.note(exercise, f"The check cell occurs {len(claims)} times; the last one is used.")
    kept = claims[-1].cell
    if kept.cell_type != cell.cell_type:
        result.note(exercise, f"The check cell had become a {kept.cell_type} cell.")
    elif kept.source.strip() != cell.source.strip():
        result.note(exercise, "The check cell had been changed.")
    _replace(result, kept, _fresh(cell, like=kept))


def _place_other(result: Restored, cell: ReleasedCell, claims: list[_Claim]) -> None:
    """Restore an answer cell, or a cell that only nbgrader knows."""
    found = marker(cell.source)
    if found is None:
        _place_plain(result, cell, claims)
        return
    answers = _joined(result, claims, found.exercise)
    attempted = [answer for answer in answers if not untouched(cell, answer.source)]
    chosen = _chosen(result, attempted or answers, found.exercise)
    if chosen is None:
        result.note(found.exercise, f"The answer cell {cell.grade_id} is not in the notebook.")
        return
    if len(answers) > 1:
        result.note(found.exercise, f"{len(answers)} cells answer {found.exercise}; {_POLICY}.")
    source = chosen.source
    if found.kind not in ("python", "check") and not source.startswith("%%"):
        source = f"{found.first_line}\n{source}"
    _replace(result, chosen, _fresh(cell, like=chosen, source=source))


_POLICY = "the last one above the check cell was judged"


def _place_plain(result: Restored, cell: ReleasedCell, claims: list[_Claim]) -> None:
    """Restore a cell of nbgrader's own kind: the last one counts, and a lost test comes back."""
    if claims:
        kept = claims[-1].cell
        source = cell.source if cell.locked else kept.source
        _replace(result, kept, _fresh(cell, like=kept, source=source))
    elif cell.plain_test:
        result.note(cell.grade_id, "The test cell was missing and was put back.")
        result.cells.append(_fresh(cell))


def _joined(result: Restored, claims: list[_Claim], exercise: str) -> list[NotebookNode]:
    """Return the whole answers: a cell without the first line continues the one before it.

    JupyterLab's "split cell" copies the metadata, so both halves carry the id.
    """
    answers: list[NotebookNode] = []
    for claim in claims:
        if claim.by_marker or not answers:
            answers.append(claim.cell)
            continue
        answers[-1].source = answers[-1].source.rstrip("\n") + "\n" + claim.cell.source
        result.cells = [cell for cell in result.cells if cell is not claim.cell]
        result.note(exercise, "The answer cell had been split; its parts were joined.")
    return answers


def _chosen(result: Restored, answers: list[NotebookNode], exercise: str) -> NotebookNode | None:
    """Return the last answer above the check cell; where there is none, the last."""
    places = {id(cell): index for index, cell in enumerate(result.cells)}
    checks = [
        index
        for index, cell in enumerate(result.cells)
        if (found := marker(cell.source)) and found.kind == "check" and found.exercise == exercise
        if "nbgrader" in cell.metadata
    ]
    above = [cell for cell in answers if checks and places[id(cell)] < checks[-1]]
    best = above or answers
    return best[-1] if best else None


def _fresh(cell: ReleasedCell, like: NotebookNode | None = None, source: str | None = None) -> NotebookNode:
    """Return a new cell with the release's type and metadata; its notebook id is kept where there is one."""
    make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
    fresh = make(source=cell.source if source is None else source)
    if like is not None and "id" in like:
        fresh["id"] = like["id"]
    fresh.metadata["nbgrader"] = nbformat.from_dict(cell.metadata)
    return fresh


def _replace(result: Restored, old: NotebookNode, new: NotebookNode) -> None:
    """Put a cell where another stands."""
    result.cells = [new if cell is old else cell for cell in result.cells]


def _unique_ids(cells: list[NotebookNode]) -> None:
    """Give a cell whose notebook id occurred before an id of its own."""
    seen: set[str] = set()
    for index, cell in enumerate(cells):
        if cell.get("id") in seen:
            cell["id"] = f"restored-{index}"
        seen.add(str(cell.get("id")))


def untouched(cell: ReleasedCell, source: str) -> bool:
    """Tell whether an answer is the released text, or still holds a stub's statement."""
    found = marker(cell.source)
    stub = found is not None and is_stub(found.exercise, source)
    return stub or digest(source) == digest(cell.source)


def _exercise(cell: ReleasedCell) -> str:
    found = marker(cell.source)
    return found.exercise if found else cell.grade_id
