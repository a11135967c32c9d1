"""Streams and events: nothing runs before an edge forces it, and an edge that is missing is named."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch


def pinned(value: float) -> torch.Tensor:
    """Return host memory that a copy reads when the copy runs."""
    return torch.full((8,), value).pin_memory()


def kinds(sim: ModuleType) -> list[str]:
    """Return the kinds of what was reported."""
    return [report["kind"] for report in sim.reports()]


def race(sim: ModuleType) -> dict[str, Any]:
    """Return the only report, which must be a race."""
    (report,) = sim.reports()
    assert report["kind"] == "stream_race", report
    return report


@pytest.fixture
def side(sim: ModuleType) -> torch.Stream:
    """A stream beside the default one."""
    return torch.Stream(device="sim")


@pytest.fixture
def x(sim: ModuleType) -> torch.Tensor:
    """Eight zeros that are in memory."""
    zeros = torch.zeros(8, device="sim")
    torch.accelerator.synchronize()
    return zeros


def test_stalled_stream_leaves_old_values(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """Without an edge, a read elsewhere sees the value from before the copy, and the race is reported."""
    with side:
        x.copy_(pinned(1), non_blocking=True)
    assert x.cpu().tolist() == [0] * 8
    side.synchronize()
    assert x.cpu().tolist() == [1] * 8
    report = race(sim)
    assert report["message"].count("aten::copy_") == 2
    assert (report["stream"], report["access"]) == (side.stream_id, "write")
    assert report["other"] == {"access": "read", "operator": "aten::copy_", "stream": 0}
    assert report["missing"] == f"stream {side.stream_id} waits for stream 0 (the default stream)"


def test_wait_stream_orders(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """A stream that waits for the other sees its work, and nothing is reported."""
    with side:
        x.copy_(pinned(1), non_blocking=True)
    torch.accelerator.current_stream().wait_stream(side)
    assert x.cpu().tolist() == [1] * 8
    assert sim.reports() == []


def test_wait_event_covers_work_before_the_record_only(
    sim: ModuleType, side: torch.Stream, x: torch.Tensor
) -> None:
    """An event stands for what came before it: work behind the record is not waited for."""
    y = torch.zeros(8, device="sim")
    torch.accelerator.synchronize()
    with side:
        x.copy_(pinned(1), non_blocking=True)
        event = side.record_event()
        y.copy_(pinned(2), non_blocking=True)
    torch.accelerator.current_stream().wait_event(event)
    assert x.cpu().tolist() == [1] * 8
    assert sim.reports() == []
    assert y.cpu().tolist() == [0] * 8


def test_event_recorded_before_the_work_orders_nothing(
    sim: ModuleType, side: torch.Stream, x: torch.Tensor
) -> None:
    """Waiting for an event that was recorded too early does not help."""
    event = side.record_event()
    with side:
        x.copy_(pinned(1), non_blocking=True)
    torch.accelerator.current_stream().wait_event(event)
    assert x.cpu().tolist() == [0] * 8
    side.synchronize()
    assert "stream_race" in kinds(sim)


def test_unrecorded_event_is_no_edge(sim: ModuleType, side: torch.Stream) -> None:
    """Waiting for an event that was never recorded returns at once, and it counts as done."""
    event = torch.Event(device="sim")
    side.wait_event(event)
    assert event.query()
    event.synchronize()


def test_edges_are_transitive(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """A wait for a stream that waits for a third one orders behind the third."""
    third = torch.Stream(device="sim")
    with third:
        x.copy_(pinned(1), non_blocking=True)
    side.wait_stream(third)
    torch.accelerator.current_stream().wait_stream(side)
    assert x.cpu().tolist() == [1] * 8
    assert sim.reports() == []


def test_synchronising_one_stream_leaves_others_waiting(
    sim: ModuleType, side: torch.Stream, x: torch.Tensor
) -> None:
    """Only what a stream needs is run when it is synchronised."""
    with side:
        x.copy_(pinned(1), non_blocking=True)
    torch.accelerator.current_stream().synchronize()
    assert sim.memory()["pending_tasks"] == 1
    side.synchronize()
    assert sim.memory()["pending_tasks"] == 0


def test_newest_unordered_work_runs_first(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """Where the order is free, a device synchronisation takes the one that hurts: newest first."""
    other = torch.Stream(device="sim")
    with side:
        x.fill_(1)
    with other:
        x.fill_(2)
    torch.accelerator.synchronize()
    assert x.cpu().tolist() == [1] * 8
    assert race(sim)["access"] == "write"


def test_two_readers_do_not_race(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """Unordered reads of the same memory are fine."""
    with side:
        a = x + 1
    b = x + 2
    torch.accelerator.synchronize()
    assert (a.cpu()[0].item(), b.cpu()[0].item()) == (1, 2)
    assert sim.reports() == []


def test_interleaved_columns_do_not_race(sim: ModuleType, side: torch.Stream) -> None:
    """Streams that write different columns of one tensor do not race; columns that overlap do."""
    x = torch.zeros(16, 8, device="sim")
    torch.accelerator.synchronize()
    with side:
        x[:, :4].fill_(1)
    x[:, 4:].fill_(2)
    torch.accelerator.synchronize()
    assert sim.reports() == []
    with side:
        x[:, :5].fill_(1)
    x[:, 4:].fill_(2)
    torch.accelerator.synchronize()
    assert kinds(sim) == ["stream_race"]


def test_host_synchronisation_orders(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """What the host has waited for happens before all that it submits later."""
    with side:
        x.fill_(1)
    side.synchronize()
    assert (x + 1).cpu().tolist() == [2] * 8
    assert sim.reports() == []


def test_polling_makes_progress(sim: ModuleType, side: torch.Stream, x: torch.Tensor) -> None:
    """A query of unfinished work says no once and then yes, so that a polling loop ends."""
    with side:
        x.fill_(1)
        event = side.record_event()
    assert [event.query(), event.query()] == [False, True]
    with side:
        x.fill_(2)
    assert [side.query(), side.query()] == [False, True]


def test_free_waits_for_the_streams_own_work(sim: ModuleType, side: torch.Stream) -> None:
    """A tensor dropped while its stream still uses it is read intact."""
    with side:
        x = torch.full((8,), 3.0, device="sim")
        y = x * 2
        del x
    side.synchronize()
    assert y.cpu().tolist() == [6] * 8
    assert sim.reports() == []


def test_free_while_another_stream_reads(sim: ModuleType, side: torch.Stream) -> None:
    """Memory freed on its own stream while another reads it is a race; record_stream makes it right."""
    for recorded in (False, True):
        x = torch.full((8,), 3.0, device="sim")
        side.wait_stream(torch.accelerator.current_stream())
        with side:
            y = x * 2
        if recorded:
            x.record_stream(side)
        torch.accelerator.current_stream().synchronize()
        del x
        side.synchronize()
        assert (y.cpu().tolist() == [6] * 8) is recorded
        found = sim.reports()
        assert [report["kind"] for report in found] == ([] if recorded else ["stream_race"])
        assert all(report["other"]["access"] in ("free", "read") for report in found)


def test_free_that_waits_in_its_queue_is_a_race_too(sim: ModuleType, side: torch.Stream) -> None:
    """Memory written by work that has not run yet, read on another stream and freed on its own, is a race."""
    x = torch.full((8,), 3.0, device="sim") * 2
    side.wait_stream(torch.accelerator.current_stream())
    with side:
        y = x * 2
    del x
    torch.accelerator.current_stream().wait_stream(side)
    y += 1
    torch.accelerator.current_stream().synchronize()
    (found,) = sim.reports()
    assert (found["kind"], found["other"]["access"]) == ("stream_race", "free")


def test_device_copy_is_ordered_with_both_devices(sim: ModuleType) -> None:
    """A copy to the other device waits for its source, and the other device for the copy."""
    a = torch.full((8,), 2.0, device="sim:0") * 3
    b = a.to("sim:1") + 1
    assert b.cpu().tolist() == [7] * 8
    assert sim.reports() == []


def test_pageable_copy_is_read_at_once(sim: ModuleType, x: torch.Tensor) -> None:
    """Changing pageable memory after a non-blocking copy does not change the copy; pinned memory does."""
    for host, seen in ((torch.ones(8), 1.0), (pinned(1), 5.0)):
        x.copy_(host, non_blocking=True)
        host.fill_(5)
        assert x.cpu().tolist() == [seen] * 8


def test_copy_to_pinned_memory_does_not_wait(sim: ModuleType, x: torch.Tensor) -> None:
    """A non-blocking copy to pinned memory has not arrived before a synchronisation."""
    host = pinned(9)
    host.copy_(x, non_blocking=True)
    assert host.tolist() == [9] * 8
    torch.accelerator.synchronize()
    assert host.tolist() == [0] * 8


def test_backward_follows_the_forward_stream(sim: ModuleType, side: torch.Stream) -> None:
    """Autograd runs each backward on its forward's stream, in its own thread, without a race."""
    w = torch.ones(4, device="sim", requires_grad=True)
    side.wait_stream(torch.accelerator.current_stream())
    with side:
        loss = (w * 3).sum()
        loss.backward()
    torch.accelerator.current_stream().wait_stream(side)
    assert w.grad is not None
    assert w.grad.cpu().tolist() == [3] * 4
    assert sim.reports() == []


def test_elapsed_time_is_refused(sim: ModuleType) -> None:
    """The simulator says that it measures no device time instead of inventing one."""
    start = torch.Event(device="sim", enable_timing=True)
    end = torch.Event(device="sim", enable_timing=True)
    start.record()
    end.record()
    torch.accelerator.synchronize()
    with pytest.raises(RuntimeError, match="no device time"):
        start.elapsed_time(end)


def test_long_queue_runs_its_oldest_work(sim: ModuleType, x: torch.Tensor) -> None:
    """A queue has a depth, as CUDA's has, so that a loop without synchronisation ends with bounded memory."""
    for _ in range(3000):
        x.add_(1)
    assert sim.memory()["pending_tasks"] <= 1024
    assert x.cpu().tolist() == [3000] * 8


def test_eager_work_runs_at_once_and_reports_the_same(
    sim: ModuleType, side: torch.Stream, x: torch.Tensor
) -> None:
    """In eager mode values are an idle GPU's, and the missing edge is reported all the same."""
    sim.set_eager(True)
    try:
        with side:
            x.copy_(pinned(1), non_blocking=True)
        assert sim.memory()["pending_tasks"] == 0
        assert x.cpu().tolist() == [1] * 8
    finally:
        sim.set_eager(False)
    race(sim)
