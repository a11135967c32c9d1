"""Stream capture: nothing runs while recording, and a replay repeats the recording."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch


@pytest.fixture
def x(sim: ModuleType) -> torch.Tensor:
    """Eight ones that are in memory."""
    ones = torch.ones(8, device="sim")
    torch.accelerator.synchronize()
    return ones


def test_nothing_runs_during_capture(sim: ModuleType, x: torch.Tensor) -> None:
    """The capture records; the result has no value before a replay."""
    graph = sim.Graph()
    with sim.capture(graph):
        y = x + 1
    assert y.cpu().isnan().all()
    graph.replay()
    assert y.cpu().tolist() == [2] * 8


def test_replay_reads_new_inputs(sim: ModuleType, x: torch.Tensor) -> None:
    """A replay computes from what the captured memory holds then."""
    graph = sim.Graph()
    with sim.capture(graph):
        y = (x + 1) * 10
    for value in (3, 4):
        x.fill_(value)
        graph.replay()
        assert y.cpu().tolist() == [(value + 1) * 10] * 8
    assert sim.reports() == []


def test_memory_of_a_capture_outlives_its_tensors(sim: ModuleType, x: torch.Tensor) -> None:
    """Intermediate memory belongs to the graph: dropping its tensors does not disturb replays."""
    graph = sim.Graph()
    with sim.capture(graph):
        middle = x + 1
        y = middle * 2
    del middle
    torch.accelerator.synchronize()
    graph.replay()
    assert y.cpu().tolist() == [4] * 8
    assert sim.reports() == []


def test_joined_fork_is_captured(sim: ModuleType, x: torch.Tensor) -> None:
    """A stream that waits for the capturing one joins the capture until it is waited for."""
    graph, side = sim.Graph(), torch.Stream(device="sim")
    with sim.capture(graph):
        main = torch.accelerator.current_stream()
        side.wait_stream(main)
        with side:
            y = x + 5
        main.wait_stream(side)
        z = y + 1
    assert len(graph) == 2
    graph.replay()
    assert z.cpu().tolist() == [7] * 8


def test_unjoined_fork_is_an_error(sim: ModuleType, x: torch.Tensor) -> None:
    """A fork that is not joined fails the capture, as in CUDA."""
    graph, side = sim.Graph(), torch.Stream(device="sim")
    main = torch.Stream(device="sim")
    with main:
        graph.capture_begin()
        side.wait_stream(main)
        with side:
            x.add_(1)
        with pytest.raises(sim.SimulatorError, match="cudaErrorStreamCaptureUnjoined"):
            graph.capture_end()


def test_synchronising_during_capture_is_an_error(sim: ModuleType, x: torch.Tensor) -> None:
    """Waiting for the device while a stream captures raises and spoils the capture; later work is fine."""
    graph = sim.Graph()
    with pytest.raises(RuntimeError, match="not permitted when stream is capturing"), sim.capture(graph):
        (x + 1).cpu()
    sim.last_error()
    assert (x + 1).cpu().tolist() == [2] * 8


def test_work_on_the_default_stream_is_left_out(sim: ModuleType, x: torch.Tensor) -> None:
    """Work on the legacy stream during a capture is not recorded; nothing is raised."""
    graph = sim.Graph()
    y = torch.zeros(8, device="sim")
    with sim.capture(graph):
        z = x + 1
        with torch.sim.default_stream():
            y.fill_(7)
    assert len(graph) == 1
    graph.replay()
    assert z.cpu().tolist() == [2] * 8


def test_default_stream_cannot_be_captured(sim: ModuleType) -> None:
    """The legacy default stream cannot be captured."""
    graph = sim.Graph()
    with pytest.raises(sim.SimulatorError, match="cudaErrorStreamCaptureUnsupported"):
        graph.capture_begin()


def test_empty_graph_cannot_be_replayed(sim: ModuleType) -> None:
    """A graph without a capture says so."""
    with pytest.raises(sim.SimulatorError, match="capture first"):
        sim.Graph().replay()
