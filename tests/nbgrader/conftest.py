"""Fixtures of the course tests; they live in `toy_course.py`, which tests also import from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))  # importlib mode adds no folder of tests

from toy_course import course, course_with_tests, templates, toy_registry  # after the path

__all__ = ["course", "course_with_tests", "templates", "toy_registry"]

THEIR_WARNINGS = (
    # nbgrader adds a submission to a collection before the session knows it.
    "ignore:Object of type <Submitted",
    # nbgrader and nbclient use what newer versions of their own dependencies deprecate.
    "ignore::DeprecationWarning",
    # Submissions with missing or repeated cell ids are what some tests are about.
    "ignore:Cell is missing an id field",
    "ignore:Non-unique cell id",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let nbgrader's own warnings pass in the tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            for warning in THEIR_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(warning))
