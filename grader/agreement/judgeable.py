"""What a lane can judge."""

from __future__ import annotations

from typing import Protocol


class Judgeable(Protocol):
    """A submission's texts, and what identifies them."""

    @property
    def exercise(self) -> str:
        """The exercise's id."""

    @property
    def name(self) -> str:
        """What results and progress call it."""

    @property
    def cuda(self) -> str | None:
        """The CUDA source."""

    @property
    def python(self) -> str | None:
        """The Python source."""

    @property
    def files(self) -> dict[str, str] | None:
        """The files of a package."""

    @property
    def digest(self) -> str:
        """Of all its sources."""

    @property
    def check(self) -> str | None:
        """The check that must fail; None where all must pass."""

    @property
    def failing(self) -> frozenset[str]:
        """The checks that must fail, where they are known."""
