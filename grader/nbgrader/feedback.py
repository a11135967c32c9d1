"""Feedback without hidden material."""

from __future__ import annotations

import re
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

_HIDDEN = re.compile(
    r"^[^\n]*BEGIN (?P<name>HIDDEN TESTS|MARK SCHEME)[^\n]*\n.*?^[^\n]*END (?P=name)[^\n]*(\n|\Z)",
    re.DOTALL | re.MULTILINE,
)


class HideHiddenTests(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader publishes no types
    """Take hidden regions, and tracebacks that quote them, out of what learners get back."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Hide the regions of one cell; errors keep their name and message."""
        visible = _HIDDEN.sub("", cell.source)
        if visible == cell.source:
            return cell, resources
        cell.source = visible.rstrip("\n") + "\n# (hidden tests)"
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources
