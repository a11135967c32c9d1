"""Fixtures that several test modules share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from grader.judge import Judge


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """One judge with a warm nursery for each test process."""
    from grader.judge import Judge

    with Judge() as warm:
        yield warm
