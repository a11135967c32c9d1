"""What compute-sanitizer says is told apart by form and by kernel."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.kernels import sanitizer
from tests.kernels.corpus import ROOT, Form

FORM = Form(ROOT / "reduce_shuffle/data_race__no_barrier_between_the_warps.cu")
OTHER = Form(ROOT / "reduce_shuffle/right.cu")
RACE = """\
=========
========= Error: Race reported between Write access at block_sums(const float *, float *, int)+0x1a0 in x:12
=========     and Read access at block_sums(const float *, float *, int)+0x240 in x:15 [16 hazards]
=========
========= Error: Race reported between Write access at block_sums(const float *, float *, int)+0x1b0 in x:12
=========     and Read access at block_sums(const float *, float *, int)+0x250 in x:15 [8 hazards]
=========
"""
ELSEWHERE = RACE.replace("block_sums", "at::native::sort_kernel")


def test_reports_on_other_kernels_are_left_out() -> None:
    """Only what names a kernel of the form counts: PyTorch's own kernels are not what is examined."""
    assert sanitizer.complaints(ELSEWHERE, FORM) == []
    first, second = sanitizer.complaints(RACE, FORM)
    assert first.startswith("Error: Race reported between Write access at block_sums(")
    assert "16 hazards" in first
    assert "8 hazards" in second


def test_a_form_that_ends_the_process_ends_no_other(tmp_path: Path) -> None:
    """The reports before a death are the dead form's, and the forms behind it run in a new process."""
    program = _program(
        tmp_path,
        f"""
sources = sys.argv[sys.argv.index("sim") + 1 :: 2]
for source in sources:
    print("#begin", source)
    if "data_race" in source:
        print({RACE!r})
        sys.exit(1)
    print("#end")
""",
    )
    found = dict(sanitizer.check(program, "racecheck", [(FORM, tmp_path), (OTHER, tmp_path)], "sim"))
    assert found[OTHER] == []
    assert len(found[FORM]) == 3
    assert found[FORM][-1] == "the process died or hung"


def test_a_tool_that_runs_nothing_is_no_evidence(tmp_path: Path) -> None:
    """A failure of the tool itself is an error, never a report on a form."""
    program = _program(tmp_path, "print('========= Error: unknown tool'); sys.exit(1)")
    with pytest.raises(RuntimeError, match="unknown tool"):
        list(sanitizer.check(program, "racecheck", [(FORM, tmp_path)], "sim"))


def _program(folder: Path, body: str) -> str:
    path = folder / "sanitizer"
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}", encoding="utf-8")
    path.chmod(0o755)
    return str(path)
