"""nbgrader's configuration for a course: what a course directory's `nbgrader_config.py` applies."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.nbgrader import unfinished
from grader.nbgrader.seed import SEED_FILE


def configure(config: Any, course: Path) -> None:
    """Set nbgrader's preprocessor lists and paths for the course in this directory.

    nbgrader's commands, and the formgrader's buttons, then release and grade as this course means it.
    """
    find_alembic()
    silence_nbgrader()
    end_interrupts_in_one_line()
    config.CourseDirectory.root = str(course)
    config.JudgeAnswers.seed_file = str(course / SEED_FILE)
    unfinished.install(config, course)
    _release(config)
    _grade(config)
    _give_back(config)


def _release(config: Any) -> None:
    """Set how a lesson becomes what learners get: markers are checked before anything is cleared."""
    from nbgrader import preprocessors as theirs

    from grader.nbgrader.clear import ClearAnswers, LintMarkers

    config.ClearSolutions.enforce_metadata = True
    config.GenerateAssignment.preprocessors = [
        LintMarkers,
        theirs.IncludeHeaderFooter,
        theirs.InstantiateTests,
        theirs.LockCells,
        ClearAnswers,
        theirs.ClearOutput,
        theirs.CheckCellMetadata,
        theirs.ComputeChecksums,
        theirs.SaveCells,
        theirs.ClearHiddenTests,
        theirs.ClearMarkScheme,
        theirs.ComputeChecksums,
        theirs.CheckCellMetadata,
    ]


def _grade(config: Any) -> None:
    """Set how a submission is read, restored and judged; the judge comes before any cell runs."""
    from nbconvert.preprocessors import ClearMetadataPreprocessor
    from nbgrader import preprocessors as theirs

    from grader.nbgrader.execute import ExecutePlainCells
    from grader.nbgrader.judging import JudgeAnswers, SaveVerdicts
    from grader.nbgrader.restore import RestoreCells
    from grader.nbgrader.submission import DIGEST, RememberSubmission, SubmissionExporter

    config.Autograde.exporter_class = SubmissionExporter
    config.Autograde.sanitize_preprocessors = [
        theirs.ClearOutput,
        RememberSubmission,
        RestoreCells,
        theirs.OverwriteKernelspec,
        theirs.OverwriteCells,
        theirs.CheckCellMetadata,
    ]
    config.ClearMetadataPreprocessor.preserve_nb_metadata_mask = {("language_info", "name"), DIGEST}
    config.Autograde.autograde_preprocessors = [
        JudgeAnswers,
        ExecutePlainCells,
        theirs.IgnorePattern,
        ClearMetadataPreprocessor,
        theirs.LimitOutput,
        SaveVerdicts,
        theirs.AssignLatePenalties,
        theirs.CheckCellMetadata,
    ]


def _give_back(config: Any) -> None:
    """Set what learners and registries get: no hidden tests, no zeros that nobody gave."""
    from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
    from nbgrader import preprocessors as theirs

    from grader.nbgrader.export import ExportMarks
    from grader.nbgrader.feedback import HideHiddenTests

    config.GenerateFeedback.preprocessors = [theirs.GetGrades, HideHiddenTests, CSSHTMLHeaderPreprocessor]
    config.ExportApp.plugin_class = ExportMarks


def silence_nbgrader() -> None:
    """Keep a warning of nbgrader's own making from instructors.

    It adds a submission to its collections before the session knows it, which SQLAlchemy 2.1 remarks on.
    """
    warnings.filterwarnings("ignore", message="Object of type <Submitted")


def end_interrupts_in_one_line() -> None:
    """See to it that Ctrl-C ends one of nbgrader's commands with what to do next, without a traceback."""
    sys.excepthook = _told


def _told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error that ends the program."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    print(
        "Interrupted. What was finished is kept; run the same command again and it does the rest.",
        file=sys.stderr,
    )


def find_alembic() -> None:
    """Put this environment's programs on the path: nbgrader calls `alembic` by its bare name."""
    programs = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "")
    if programs not in path.split(os.pathsep):
        os.environ["PATH"] = programs + os.pathsep + path
