"""Fixtures that several test modules share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from grader.judge import Judge


@pytest.fixture(scope="session", autouse=True)
def _device_before_autograd() -> None:
    """Register `sim` before any test runs backward, so that the order of tests decides nothing."""
    from grader.simulator import load_runtime

    load_runtime()


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """One judge with a warm nursery for each test process."""
    from grader.judge import Judge

    with Judge() as warm:
        yield warm
