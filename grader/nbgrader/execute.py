"""Plain nbgrader test cells: run as nbgrader runs them, in a kernel, after the answers were judged.

The kernel holds learner code, so nothing that it does reaches a judged cell: it runs a copy of the
notebook without check cells, and only the outputs of plain cells are taken over.
"""

from __future__ import annotations

import copy
import math
import re
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import Execute

from grader.nbgrader.judging import VERDICT_TYPE
from grader.notebook.answers import is_check

_WRAPPED = re.compile(r"^(?:(?:np|numpy)\.\w+|tensor|array)\(([^,()]*)(?:, dtype=[\w.]+)?\)$")
_WORDS = {"True": math.inf, "False": 0.0, "None": 0.0}


class ExecutePlainCells(Execute):  # type: ignore[misc]  # nbgrader publishes no types
    """Run the notebook in a kernel if, and only if, it has plain test cells.

    A test cell without a reply from the kernel scores nothing and says so.  Standard error is no failure.
    """

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any], km: Any = None
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Fill the outputs of all cells but the check cells."""
        if not any(is_plain_test(cell) for cell in notebook.cells):
            return notebook, resources
        trial = copy.deepcopy(notebook)
        trial.cells = [cell for cell in trial.cells if cell.cell_type == "code" and not is_check(cell.source)]
        self._replied: set[str] = set()
        reason = ""
        try:
            super().preprocess(trial, resources, km)
        except Exception as error:  # a dead kernel, a time-out, no kernel: each costs only the plain tests
            reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            self.log.warning("The kernel for plain test cells ended early: %s", reason)
        self._take_over(notebook, {cell.id: cell for cell in trial.cells}, reason)
        return notebook, resources

    def on_cell_executed(self, **kwargs: Any) -> None:
        """Remember that the kernel replied to this cell; the rest is nbgrader's."""
        super().on_cell_executed(**kwargs)
        self._replied.add(kwargs["cell"].id)

    def _take_over(self, notebook: NotebookNode, tried: dict[str, NotebookNode], reason: str) -> None:
        """Copy outputs of plain cells; make those of test cells mean what they show."""
        for cell in notebook.cells:
            if cell.cell_type != "code" or cell.id not in tried:
                continue
            cell.outputs = [_plain_output(output) for output in tried[cell.id].outputs]
            if is_plain_test(cell):
                if cell.id not in self._replied and cell.source.strip():
                    problem = "The kernel gave no reply to this cell, or never came to it. " + reason
                    cell.outputs.append(_error("NoReply", problem))
                cell.outputs = scored(cell.outputs, float(cell.metadata["nbgrader"]["points"]))


def is_plain_test(cell: NotebookNode) -> bool:
    """Tell whether nbgrader scores this cell by its outputs."""
    if cell.cell_type != "code" or is_check(cell.source):
        return False
    return bool(utils.is_grade(cell) and not utils.is_solution(cell))


def scored(outputs: list[NotebookNode], available: float) -> list[NotebookNode]:
    """Return outputs from which nbgrader reads the score that they show.

    It gives full marks for a result of `nan`, `-1`, `False` or `np.float64(0.0)`, and drops the whole
    submission for one above the maximum.
    """
    return [_scored(output, available) for output in outputs]


def _scored(output: NotebookNode, available: float) -> NotebookNode:
    if output.output_type != "execute_result":
        return output
    shown = output.data.get("text/plain", "")
    text = ("".join(shown) if isinstance(shown, list) else str(shown)).strip()
    value = _number(text)
    if value is None:
        return _without_number(output, text)
    if math.isnan(value) or value < 0 or (value > available and text not in _WORDS):
        return _error("NotAScore", f"The cell's result {text} is not a score from 0 to {available:g}.")
    output.data["text/plain"] = repr(min(value, available))
    return output


def _number(text: str) -> float | None:
    """Return the number that a result shows, also inside NumPy's and torch's display of a scalar."""
    if text in _WORDS:
        return _WORDS[text]
    wrapped = _WRAPPED.match(text)
    try:
        return float((wrapped[1] if wrapped else text).strip().rstrip("."))
    except ValueError:
        return None


def _without_number(output: NotebookNode, text: str) -> NotebookNode:
    """Return a result that is no number as displayed data: nbgrader then gives full marks, as it means to."""
    return nbformat.v4.new_output("display_data", data={**output.data, "text/plain": text or " "})


def _plain_output(output: NotebookNode) -> NotebookNode:
    """Return the output without a verdict of its own making, and with standard error as plain text.

    A warning is no failure; the kernel's reply tells of errors.
    """
    output.get("data", {}).pop(VERDICT_TYPE, None)
    if output.output_type == "stream" and output.name == "stderr":
        output.name = "stdout"
    return output


def _error(name: str, text: str) -> NotebookNode:
    return nbformat.v4.new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
