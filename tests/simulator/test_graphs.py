"""Stream capture: nothing runs while recording, and a replay repeats the recording."""

from __future__ import annotations

import inspect
import re
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


def forked_graph(sim: ModuleType, x: torch.Tensor, edge: bool) -> tuple[object, int]:
    """Capture x.add_(1) on a forked stream and x.mul_(3) on the capturing one, ordered or not, and a join."""
    graph, side = sim.Graph(), torch.Stream(device="sim")
    with sim.capture(graph):
        main = torch.accelerator.current_stream()
        side.wait_stream(main)
        with side:
            x.add_(1)
        if edge:
            main.wait_stream(side)
        x.mul_(3)
        main.wait_stream(side)
    return graph, side.stream_id


def test_missing_edge_inside_of_a_graph_is_reported(sim: ModuleType, x: torch.Tensor) -> None:
    """Branches of a graph that nothing orders race in its replay; ordered ones do not."""
    graph, _ = forked_graph(sim, x, edge=True)
    for _ in range(2):
        graph.replay()
    assert x.cpu().tolist() == [21] * 8
    assert sim.reports() == []
    graph, side = forked_graph(sim, x, edge=False)
    graph.replay()
    torch.accelerator.synchronize()
    (race,) = sim.reports()
    assert race["kind"] == "stream_race"
    assert side in (race["stream"], race["other"]["stream"])


def test_replays_of_one_graph_run_one_behind_the_other(sim: ModuleType, x: torch.Tensor) -> None:
    """A graph that is launched on two streams does not race with itself, as CUDA promises."""
    graph, _ = forked_graph(sim, x, edge=True)
    other = torch.Stream(device="sim")
    with other:
        graph.replay()
    graph.replay()
    torch.accelerator.synchronize()
    assert x.cpu().tolist() == [21] * 8
    assert sim.reports() == []


def test_random_numbers_are_new_in_each_replay(sim: ModuleType) -> None:
    """Each replay draws anew, the seed decides what, and the capture itself draws nothing."""
    torch.manual_seed(3)
    before = torch.sim.get_rng_state()
    graph = sim.Graph()
    with sim.capture(graph):
        drawn = torch.rand(4, device="sim")
    assert torch.equal(torch.sim.get_rng_state(), before)

    def replay() -> list[float]:
        graph.replay()
        return drawn.cpu().tolist()

    first, second = replay(), replay()
    assert first != second
    torch.manual_seed(3)
    assert [replay(), replay()] == [first, second]


def test_waiting_in_a_capture_for_an_event_of_outside(sim: ModuleType, x: torch.Tensor) -> None:
    """An event recorded outside orders nothing in a capture: CUDA's error, and the capture is spoilt."""
    side = torch.Stream(device="sim")
    event = side.record_event()
    stream, graph = torch.Stream(device="sim"), sim.Graph()
    with stream:
        graph.capture_begin()
        with pytest.raises(RuntimeError, match="dependency created on uncaptured work in another stream"):
            stream.wait_event(event)
        with pytest.raises(sim.SimulatorError, match="cudaErrorStreamCaptureInvalidated"):
            graph.capture_end()


def test_captured_events_are_no_events_of_the_host(sim: ModuleType, x: torch.Tensor) -> None:
    """The host cannot ask for an event of a capture, and no stream can wait for it later."""
    graph, stream = sim.Graph(), torch.Stream(device="sim")
    with stream:
        graph.capture_begin()
        event = stream.record_event()
        with pytest.raises(RuntimeError, match="event last recorded in a capturing stream"):
            event.query()
        with pytest.raises(sim.SimulatorError, match="cudaErrorStreamCaptureInvalidated"):
            graph.capture_end()
    with pytest.raises(RuntimeError, match="event last recorded in a capturing stream"):
        torch.accelerator.current_stream().wait_event(event)
    assert (x + 1).cpu().tolist() == [2] * 8


def test_captures_do_not_merge(sim: ModuleType) -> None:
    """A capturing stream that waits for one of another capture spoils both."""
    streams, graphs = [torch.Stream(device="sim") for _ in "ab"], [sim.Graph(), sim.Graph()]
    for stream, graph in zip(streams, graphs, strict=True):
        with stream:
            graph.capture_begin()
    with pytest.raises(RuntimeError, match="merge of separate capture sequences"):
        streams[0].wait_stream(streams[1])
    for stream, graph in zip(streams, graphs, strict=True):
        with stream, pytest.raises(sim.SimulatorError, match="cudaErrorStreamCaptureInvalidated"):
            graph.capture_end()


def test_the_default_stream_cannot_join_a_capture(sim: ModuleType) -> None:
    """Making the legacy stream wait for a capturing one is refused."""
    graph, stream = sim.Graph(), torch.Stream(device="sim")
    with stream:
        graph.capture_begin()
        with pytest.raises(RuntimeError, match="not permitted when stream is capturing"):
            torch.sim.default_stream().wait_stream(stream)
        with pytest.raises(sim.SimulatorError, match="cudaErrorStreamCaptureInvalidated"):
            graph.capture_end()


@pytest.mark.parametrize("device", ["sim", "cuda"])
def test_same_names_on_both_devices(sim: ModuleType, device: str) -> None:
    """torch.sim has what torch.cuda has for graphs, called in the same way."""
    there = torch.get_device_module(device)
    assert {"cuda_graph", "pool", "stream", "capture_error_mode"} <= parameters(there.graph)
    assert {"pool", "capture_error_mode"} <= parameters(there.CUDAGraph.capture_begin)
    for name in ("capture_end", "replay", "reset"):
        assert hasattr(there.CUDAGraph, name)
    assert callable(there.is_current_stream_capturing)
    assert not torch.sim.is_current_stream_capturing()
    with sim.capture(sim.Graph()):
        assert torch.sim.is_current_stream_capturing()


def parameters(function: object) -> set[str]:
    """Return the names of a function's parameters; built-in ones tell them in their documentation."""
    try:
        return set(inspect.signature(function).parameters)
    except ValueError:
        return set(re.findall(r"\w+", str(function.__doc__)))
