"""Errors of the course tools.  Each message names what is wrong, where, and what mends it."""

from __future__ import annotations


class CourseError(Exception):
    """Something an author or an instructor has to mend."""


class LessonError(CourseError):
    """A lesson that cannot be released."""

    def __init__(self, lesson: str, cell: str, problem: str, remedy: str) -> None:
        """Say which cell of which lesson has the problem, and what mends it."""
        super().__init__(f"{lesson}, cell {cell}: {problem}. {remedy}")


class UngradedError(CourseError):
    """Judging could not take place: no mark is recorded for this submission, and it can be tried again."""
