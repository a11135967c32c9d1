"""Reading what a student handed in, which may be no notebook at all, and knowing it again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from grader.nbgrader.errors import UngradedError

DIGEST = "grader_submission"
"""Notebook metadata of an autograded notebook: which file was graded; written here only."""


class RememberSubmission(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader publishes no types
    """Note in a submission's copy which file it was made of, so that a later hand-in is told from it."""

    def preprocess(
        self, notebook: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Write the file's digest; whatever the submission said of itself is overwritten."""
        where = resources["metadata"]
        notebook.metadata[DIGEST] = fingerprint(Path(where["path"]) / f"{where['name']}.ipynb")
        return notebook, resources


def fingerprint(path: Path) -> str:
    """Return what tells a file's content from any other."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class SubmissionExporter(NotebookExporter):
    """nbconvert's exporter, which autograding reads submissions with; one that is no notebook is told."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Convert a notebook; raise `UngradedError` with the next step for a file that holds none."""
        if problem := unreadable(Path(filename)):
            raise UngradedError(f"{filename}: {problem}")
        return super().from_filename(filename, resources, **kw)


def unreadable(path: Path) -> str:
    """Say why a file holds no notebook and what to do about it; nothing for a notebook."""
    try:
        nbformat.read(path, as_version=4)
    except Exception as error:
        # Besides "not JSON" there is JSON of every other shape, for which nbformat has few exceptions.
        reason = str(error).split("\n")[0][:100] or type(error).__name__
        return (
            f"this is not a Jupyter notebook ({reason}); no mark is recorded. Ask for the .ipynb file again, "
            "put it there, and autograde this lesson again: what has its marks is not graded twice."
        )
    return ""
