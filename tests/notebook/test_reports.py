"""What the simulator sees in an interactive call is told below the cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from grader import simulator
from grader.notebook import reports
from grader.toolchain import BuildRequest, build, load

SOURCE = """
#include <torch/extension.h>
__global__ void twice_kernel(const float* x, float* out, int64_t n, int64_t reach) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + reach) { float v = 2 * x[i]; if (i < n) out[i] = v; }
}
torch::Tensor twice(torch::Tensor x, int64_t reach) {
  auto out = torch::zeros_like(x);
  twice_kernel<<<1, 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel(), reach);
  return out;
}
"""
RACE = {"kind": "data_race", "kernel": "k", "line": 5, "message": "k wrote t[0], which thread 1 read"}


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[InteractiveShell]:
    """Run an IPython shell of its own that tells what the simulator saw."""
    running = InteractiveShell.instance(ipython_dir=str(tmp_path))
    running.history_manager.enabled = False
    reports.register(running)
    reports.register(running)
    yield running
    InteractiveShell.clear_instance()


def test_a_read_beyond_the_end_is_told_once_below_its_cell(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """A call that reads too far is told with line and advice, though its values are right; others are not."""
    result = build(BuildRequest("kernels", SOURCE))
    assert result.library is not None
    shell.push({"kernels": load(result.library, "kernels")})
    shell.run_cell("import torch; x = torch.ones(8, device='sim')")
    simulator.reports()
    capsys.readouterr()
    shell.run_cell("y = kernels.twice(x, 0).cpu()")
    assert capsys.readouterr().out == ""
    shell.run_cell("y = kernels.twice(x, 1).cpu()")
    told = capsys.readouterr().out
    assert told.startswith("The simulator: twice_kernel read x[8], which has 8 elements (line 5, ")
    assert told.count("\n") == 1
    shell.run_cell("y.sum()")
    assert "simulator" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seen", "lines"),
    [
        ([], 0),
        ([{"kind": "same_value_write"}, {"kind": "absent_lane"}, {"kind": "leak"}], 0),
        ([RACE, RACE, RACE | {"message": "k wrote t[1], which thread 2 read"}], 1),
        ([RACE | {"line": line} for line in range(9)], 4),
    ],
)
def test_a_cell_is_not_flooded(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seen: list[dict[str, Any]],
    lines: int,
) -> None:
    """Warnings are untold, alike faults are one line, and of many different ones three are shown."""
    monkeypatch.setattr(simulator, "is_loaded", lambda: True)
    monkeypatch.setattr(simulator, "reports", lambda: seen)
    reports.tell()
    assert capsys.readouterr().out.count("\n") == lines


def test_nothing_is_loaded_to_see_that_nothing_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook that never used the simulator does not load it after each cell."""
    monkeypatch.setattr(simulator, "is_loaded", lambda: False)
    asked: list[str] = []
    monkeypatch.setattr(simulator, "reports", lambda: asked.append("reports"))
    reports.tell()
    assert not asked
