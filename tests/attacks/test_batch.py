"""Attackers in a class change nobody's mark."""

from __future__ import annotations

import pytest

from grader.judge.confinement import landlock
from tests.attacks import batch

pytestmark = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")


def test_honest_marks_are_what_they_are_alone() -> None:
    """Three honest hand-ins among three attackers get the marks that they get alone; nothing is left.

    `make attacks` does the same with 20 and 10.
    """
    alone, among = batch.run(good=3, bad=3)
    assert len(alone.marks) == 3
    assert None not in alone.marks.values()
    assert alone.marks == {name: among.marks[name] for name in alone.marks}
    assert {name: mark for name, mark in among.marks.items() if name not in alone.marks and mark} == {}
    assert alone.left == []
    assert among.left == []
