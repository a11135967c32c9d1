"""What a worker leaves behind is measured by what it takes, and removed whatever its form."""

from __future__ import annotations

import os
from pathlib import Path

from grader.judge import leavings


def test_files_count_by_what_they_take(tmp_path: Path) -> None:
    """Many small files add up; a hole takes nothing, and neither does what a link leads to."""
    (tmp_path / "deep/er").mkdir(parents=True)
    with open(tmp_path / "hole", "wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "link").symlink_to("/usr")
    assert not leavings.is_more_than(tmp_path, 1 << 20)
    for number in range(20):
        (tmp_path / f"deep/er/{number}").write_bytes(b"x" * (64 << 10))
    assert leavings.is_more_than(tmp_path, 1 << 20)


def test_more_entries_than_can_be_looked_through_are_too_much(tmp_path: Path) -> None:
    """Empty files take no room, and their number alone is bounded."""
    for number in range(leavings._ENTRIES + 2):
        os.close(os.open(tmp_path / str(number), os.O_CREAT))
    assert leavings.is_more_than(tmp_path, 1 << 30)


def test_few_entries_are_removed_at_once(tmp_path: Path) -> None:
    """A scratch with little in it is gone when the call returns; what a link leads to stays."""
    scratch, kept = tmp_path / "scratch", tmp_path / "kept"
    kept.write_text("kept")
    (scratch / "folder").mkdir(parents=True)
    (scratch / "folder/link").symlink_to(kept)
    assert leavings.remove(scratch) is None
    assert not scratch.exists()
    assert kept.read_text() == "kept"


def test_a_deep_tree_is_removed_while_nobody_waits(tmp_path: Path) -> None:
    """Hundreds of levels, some of which may not be entered, are left to a process that is returned."""
    scratch = folder = tmp_path / "scratch"
    for _ in range(300):
        folder = folder / "d"
    folder.mkdir(parents=True)
    folder.chmod(0)
    remover = leavings.remove(scratch)
    assert remover is not None
    assert remover.wait(timeout=60) == 0
    assert not scratch.exists()
