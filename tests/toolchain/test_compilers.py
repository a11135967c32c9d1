"""What `tests/compilers` says about the simulator: it takes and refuses the units that their names say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.toolchain import BuildResult

CASES = sorted((Path(__file__).parents[1] / "compilers").glob("*.cu"))
TAKEN = {"both": True, "neither": False, "sim_only": True, "nvcc_only": False}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_simulator_accepts_what_the_name_says(built: Callable[..., BuildResult], path: Path) -> None:
    """A unit that nvcc refuses is refused with a message that stands in a line of it, or is a known limit."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("// Reason: ")
    result = built(text, first_line=1)
    assert result.ok is TAKEN[path.stem.split("__")[0]], result.diagnostics
    if not result.ok and not result.missing:
        place = result.diagnostics[0].place
        assert place is not None
        assert place.line > 1
