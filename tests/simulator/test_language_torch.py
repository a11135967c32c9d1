"""PyTorch's CUDA headers on sim: accessors, dispatch, atomics, guards, streams and events by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

UNIT = (Path(__file__).parent / "language_torch/headers.cu").read_text()
FLOATING = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
NUMBERS = [*FLOATING, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


@pytest.fixture
def unit(sim: ModuleType, compiled: Callable[[str], ModuleType]) -> ModuleType:
    """The unit of these tests."""
    return compiled(UNIT)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_accessors_in_a_dispatched_launch(sim: ModuleType, unit: ModuleType, dtype: torch.dtype) -> None:
    """Packed accessors of either index width read and write strided tensors inside AT_DISPATCH."""
    x = torch.arange(12.0).reshape(3, 4).to(dtype).t()
    y, z = unit.halved(x.to("sim"))
    assert torch.equal(y.cpu(), x / 2)
    assert torch.equal(z.cpu(), x + 1)
    assert sim.reports() == []


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_atomic_addition_in_every_type(sim: ModuleType, unit: ModuleType, dtype: torch.dtype) -> None:
    """gpuAtomicAdd and WARP_SHFL_DOWN sum each type that tensors have."""
    x = torch.ones(100).to(dtype)
    assert unit.totalled(x.to("sim")).item() == 100
    assert sim.reports() == []


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_atomic_extremes_in_every_type(sim: ModuleType, unit: ModuleType, dtype: torch.dtype) -> None:
    """gpuAtomicMax, Min and Mul exist for each type."""
    x = torch.tensor([5, 3, 9, 7]).to(dtype)
    assert unit.extreme(x.to("sim")).cpu().tolist() == [9, 3, 1]
    assert sim.reports() == []


def test_guards_and_streams(sim: ModuleType, unit: ModuleType) -> None:
    """Every guard sets what it names and puts back what was; events order streams."""
    assert unit.guards(torch.ones(3, device="sim"))
    assert torch.accelerator.current_device_index() == 0


def test_launch_bounds_bind(sim: ModuleType, unit: ModuleType) -> None:
    """A block larger than __launch_bounds__ allows is refused, as by CUDA."""
    unit.launch_bounded(torch.empty(64, device="sim"))
    with pytest.raises(RuntimeError, match="CUDA error: invalid argument"):
        unit.launch_bounded(torch.empty(65, device="sim"))
    [report] = sim.reports()
    assert report["kind"] == "launch_error"
    assert "__launch_bounds__ allow 64" in report["message"]


def test_half_of_pytorch_and_of_cuda(sim: ModuleType, unit: ModuleType) -> None:
    """c10::Half and __half convert into each other without arithmetic in between."""
    x = torch.tensor([1.5, 0.0, 0.0], dtype=torch.float16, device="sim")
    unit.swap_halves(x)
    assert x.cpu().tolist() == [1.5, 3.0, 3.0]
