"""What `flags` reads from the commands of a package's build."""

from __future__ import annotations

import pytest

from grader.checks.flags import _own, _problem

BEFORE = ["-DNDEBUG", "-O2", "-c", "csrc/a.cu", "-o", "a.o"]


@pytest.mark.parametrize(
    "flags",
    [
        ["-O3", "-lineinfo"],
        ["-lineinfo", "-O0", "-O3"],
        ["--optimize", "3", "--generate-line-info"],
        ["--optimize=3", "-lineinfo", "-use_fast_math"],
        ["-O", "3", "-lineinfo"],
    ],
)
def test_every_spelling_of_the_right_options_passes(flags: list[str]) -> None:
    """nvcc's short and long forms mean the same, and the last level counts."""
    assert _problem("nvcc", _own([*BEFORE, *flags])) is None


@pytest.mark.parametrize(
    ("tool", "flags", "told"),
    [
        ("nvcc", ["-O3"], "without -lineinfo"),
        ("nvcc", ["-lineinfo"], "without -O3"),
        ("nvcc", ["-O3", "-lineinfo", "-G"], "with -G"),
        ("nvcc", ["-O3", "-lineinfo", "-O1"], "with -O1, not -O3"),
        ("c++", [], "without -O3"),
        ("c++", ["-O3", "-Og"], "with -Og, not -O3"),
    ],
)
def test_wrong_options_are_told(tool: str, flags: list[str], told: str) -> None:
    """Python's own -O2, which comes before the object's name, is nobody's choice and does not count."""
    assert told in str(_problem(tool, _own([*BEFORE, *flags])))
