"""What lessons ask of a device: memory in use, and calls recorded as graphs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from grader import simulator
from grader.notebook.devices import captured, memory_allocated


@pytest.fixture(autouse=True)
def loaded() -> Iterator[None]:
    """Have the device, and leave no report or error behind."""
    simulator.load_runtime()
    yield
    simulator.reports()
    simulator.last_error()


def test_memory_of_tensors_is_counted_and_given_back() -> None:
    """A tensor's bytes count while it lives."""
    before = memory_allocated()
    x = torch.zeros(1000, device="sim")
    assert memory_allocated() - before == 4000
    del x
    assert memory_allocated() == before


def test_replay_writes_the_result_again_from_new_inputs() -> None:
    """A captured call runs at a replay only, and reads what its input holds then."""
    x = torch.ones(3, device="sim")
    graph = captured(lambda x: x * 2, x)
    for value in (5.0, 7.0):
        x.fill_(value)
        graph.replay()
        assert graph.result.tolist() == [2 * value] * 3


def test_waiting_while_captured_raises() -> None:
    """A function that reads a value on the host cannot be captured, and the device works on."""
    x = torch.ones(3, device="sim")
    with pytest.raises(RuntimeError, match="capturing"):
        captured(lambda x: x.sum().item(), x)
    simulator.last_error()
    assert (x * 2).tolist() == [2.0] * 3
