"""Release, autograde and feedback through nbgrader's own extension points."""

from grader.nbgrader.config import configure

__all__ = ["configure"]
