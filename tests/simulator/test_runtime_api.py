"""CUDA's host functions in a learner's unit: what they do on sim, and what they report."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

UNIT = (Path(__file__).parent / "runtime_api.cu").read_text(encoding="utf-8")


@pytest.fixture
def unit(sim: ModuleType, compiled: Callable[[str], ModuleType]) -> ModuleType:
    """The learner's unit of these tests."""
    return compiled(UNIT)


@pytest.fixture
def x(sim: ModuleType) -> torch.Tensor:
    """0, 1, 2, ... in memory."""
    tensor = torch.arange(16.0, device="sim")
    torch.accelerator.synchronize()
    return tensor


def line_of(text: str) -> int:
    """Return the line of the unit that holds the text."""
    return next(n for n, row in enumerate(UNIT.split("\n"), 1) if text in row)


def kinds(sim: ModuleType) -> set[str]:
    """Return the kinds of what was reported."""
    return {report["kind"] for report in sim.reports()}


def stalled(call: Callable[[torch.Tensor], torch.Tensor]) -> list[float]:
    """Call on a side stream whose input is still on its way there; return the output."""
    stream = torch.Stream(device="sim")
    host = torch.arange(16.0).pin_memory()
    with stream:
        x = torch.full((16,), 100.0, device="sim")
        stream.synchronize()
        x.copy_(host, non_blocking=True)
        y = call(x)
        return y.cpu().tolist()


RIGHT = [2.0 * i for i in range(16)]


def test_current_stream_is_right(sim: ModuleType, unit: ModuleType) -> None:
    """A launch on the current stream sees the stalled input, and nothing is reported."""
    assert stalled(unit.on_current) == RIGHT
    assert sim.reports() == []


def test_default_stream_is_wrong_and_reported(sim: ModuleType, unit: ModuleType) -> None:
    """A launch on the default stream gives a wrong value, and the report has line and both streams."""
    assert stalled(unit.on_default) != RIGHT
    report = next(report for report in sim.reports() if report["kind"] == "wrong_stream")
    assert report["launch_line"] == line_of("twice<<<1, 32")
    assert report["stream"] == 0
    assert report["current_stream"] > 0
    assert report["kernel"] == "twice"


def test_fork_and_join_is_right(sim: ModuleType, unit: ModuleType) -> None:
    """Side work between a fork and a join is legitimate."""
    assert stalled(lambda x: unit.forked(x, True)) == RIGHT
    assert sim.reports() == []


def test_fork_without_join_is_reported(sim: ModuleType, unit: ModuleType) -> None:
    """Side work that the current stream never waits for is wrong and reported."""
    assert stalled(lambda x: unit.forked(x, False)) != RIGHT
    assert "wrong_stream" in kinds(sim)


def test_host_synchronisation_is_an_edge(sim: ModuleType, unit: ModuleType) -> None:
    """A stream of one's own is right where the host waits before and after."""
    assert stalled(unit.waited_for) == RIGHT
    assert sim.reports() == []


def test_blocking_stream_is_ordered_with_the_default_stream(
    sim: ModuleType, unit: ModuleType, x: torch.Tensor
) -> None:
    """The legacy default stream waits for blocking streams and they for it; pool streams do not take part."""
    assert unit.blocking_side(x + 0).cpu().tolist() == RIGHT
    assert sim.reports() == []
    assert stalled(unit.blocking_side) != RIGHT
    assert "wrong_stream" in kinds(sim)


@pytest.mark.parametrize("eager", [True, False])
def test_temporary_that_dies_before_the_launch(
    sim: ModuleType, unit: ModuleType, x: torch.Tensor, eager: bool
) -> None:
    """A pointer into a temporary that is freed before the launch reads poison and is reported."""
    sim.set_eager(eager)
    try:
        assert unit.of_dead_temporary(x).cpu().isnan().all()
    finally:
        sim.set_eager(False)
    assert kinds(sim) == {"use_after_free"}


@pytest.mark.parametrize("current", [True, False])
def test_copy_stream(sim: ModuleType, unit: ModuleType, current: bool) -> None:
    """cudaMemcpyAsync on the current stream is right; on stream 0 it is wrong and reported with its line."""
    from grader.simulator import symbols

    right = stalled(lambda x: unit.copied(x, current)) == [float(i) for i in range(16)]
    assert right is current
    reports = [report for report in symbols.resolve(sim.reports()) if report["kind"] == "wrong_stream"]
    assert [report["line"] for report in reports] == (
        [] if current else [line_of("cudaMemcpyAsync(y.data_ptr(), x")]
    )


def test_a_wrong_direction_is_reported(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """A copy whose kind does not suit its pointers is made, as GPUs do it, and reported."""
    assert unit.copied_as_if_from_the_host(x).tolist() == x.tolist()
    (report,) = sim.reports()
    assert report["kind"] == "copy_direction"
    assert "from the device to the device" in report["message"]


def test_rows_are_copied(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """cudaMemcpy2DAsync copies rows of one pitch to another; one row too many is reported, and not copied."""
    assert unit.rows(x, 4, 2, 4).cpu().tolist() == [[0, 1], [4, 5], [8, 9], [12, 13]]
    assert sim.reports() == []
    assert unit.rows(x, 4, 2, 5).cpu().tolist()[:4] == [[0, 1], [4, 5], [8, 9], [12, 13]]
    assert kinds(sim) == {"out_of_bounds"}


def test_memset(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """cudaMemsetAsync clears the bytes that it is given."""
    assert unit.cleared(x + 1, 8).cpu().tolist()[:3] == [0, 0, 3]


def test_host_copies(sim: ModuleType, unit: ModuleType) -> None:
    """cudaMemcpy brings a host value to the device and back; past the allocation's end it is reported.

    A GPU refuses nothing here, since PyTorch's block is larger than the tensor: so the rest is copied.
    """
    assert unit.from_host(8) == 42
    assert sim.reports() == []
    assert unit.from_host(16) == 42
    assert kinds(sim) == {"out_of_bounds"}


def test_raw_allocation(sim: ModuleType, unit: ModuleType) -> None:
    """cudaMalloc is reported as memory behind PyTorch's allocator, and as a leak where it is kept."""
    unit.raw(False)
    assert kinds(sim) == {"raw_allocation"}
    unit.raw(True)
    assert kinds(sim) == {"raw_allocation", "leak"}
    assert sim.reports() == []


def test_double_free(sim: ModuleType, unit: ModuleType) -> None:
    """Freeing twice is an error and a report."""
    assert unit.free_twice() == 1
    assert "double_free" in kinds(sim)


def test_unchecked_launch_error_surfaces_at_the_next_torch_call(
    sim: ModuleType, unit: ModuleType, x: torch.Tensor
) -> None:
    """A bad configuration says nothing at the launch, raises at the next operation, and is gone."""
    unit.unchecked_launch(x)
    with pytest.raises(RuntimeError, match=r"CUDA error: invalid (configuration )?argument[\s\S]*twice"):
        x + 1
    assert (x + 1).cpu()[0] == 1
    sim.reports()
    with pytest.raises(RuntimeError, match="CUDA error"):
        unit.checked_launch(x)
    assert (x + 1).cpu()[0] == 1


def test_static_and_dynamic_shared_memory_share_48_kib(
    sim: ModuleType, unit: ModuleType, x: torch.Tensor
) -> None:
    """Both together may not pass 48 KiB unless the kernel asked for more, be it only by a byte."""
    unit.shares(x, 49152 - 8, False)
    assert x.cpu()[0] == 2
    assert sim.reports() == []
    x.zero_()
    unit.shares(x, 49152 - 4, False)
    with pytest.raises(RuntimeError, match="CUDA error: invalid argument"):
        torch.accelerator.synchronize()
    (found,) = sim.reports()
    assert found["kind"] == "launch_error"
    assert "take 8 bytes beside 49148 of dynamic ones" in found["message"]
    assert x.cpu()[0] == 0
    unit.shares(x, 49152, True)
    assert x.cpu()[0] == 2
    assert sim.reports() == []


def test_device_guard(sim: ModuleType, unit: ModuleType) -> None:
    """With a guard, tensors of the second device work while the first is current."""
    y = unit.guarded(torch.arange(16.0, device="sim:1"))
    assert (y.device.index, y.cpu().tolist()) == (1, RIGHT)
    assert sim.reports() == []
    assert torch.accelerator.current_device_index() == 0


def test_atomic_addition(sim: ModuleType, unit: ModuleType) -> None:
    """gpuAtomicAdd adds once for each thread."""
    assert unit.counted(5).item() == 320


def test_symbol(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """cudaMemcpyToSymbolAsync reads the pageable value at the call."""
    assert unit.with_symbol(x, 3.0).cpu().tolist() == [3.0 * i for i in range(16)]


def test_device_facts(sim: ModuleType, unit: ModuleType) -> None:
    """Attributes and occupancy follow the claimed device: 132 processors of 2048 threads."""
    device, warp, blocks, grid, block, processors = unit.facts()
    assert (device, warp, blocks, processors) == (0, 32, 8, 132)
    assert (block, grid) == (1024, 264)


def reported(sim: ModuleType, kind: str) -> dict[str, Any]:
    """Return the first report of a kind."""
    return next(report for report in sim.reports() if report["kind"] == kind)


def test_race_names_both_sides(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """A kernel that reads what another stream writes is a race, reported with the kernel's line."""
    side = torch.Stream(device="sim")
    with side:
        x.add_(1)
    unit.on_current(x)
    torch.accelerator.synchronize()
    report = reported(sim, "stream_race")
    assert report["launch_line"] == line_of("twice<<<1, 32")
    assert "twice" in report["message"]
    assert "aten::add" in report["message"]
    assert (report["stream"], report["access"], report["kernel"]) == (0, "read", "twice")
    assert report["other"] == {
        "access": "write",
        "operator": "aten::add.out",
        "stream": side.stream_id,
        "later": True,
    }
    assert report["missing"] == f"stream {side.stream_id} waits for stream 0 (the default stream)"


def on_streams(call: Callable[[float], torch.Tensor], values: tuple[float, ...]) -> list[float]:
    """Call once on each of several streams, with nothing between; return each first element but one."""
    results = []
    for value in values:
        with torch.Stream(device="sim"):
            results.append(call(value))
    torch.accelerator.synchronize()
    return [result.cpu()[1].item() for result in results]


@pytest.mark.parametrize("blocking", [True, False])
def test_copies_of_the_same_bytes_to_a_symbol_are_no_race(
    sim: ModuleType, unit: ModuleType, x: torch.Tensor, blocking: bool
) -> None:
    """Calls on several streams may each copy the same coefficients; other coefficients race."""
    copy = unit.with_symbol_blocking if blocking else unit.with_symbol
    assert on_streams(lambda value: copy(x, value), (5.0, 5.0, 5.0)) == [5.0] * 3
    assert sim.reports() == []
    on_streams(lambda value: copy(x, value), (6.0, 7.0))
    assert "stream_race" in kinds(sim)


def test_symbol_of_another_stream_is_a_race(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """A kernel that reads a symbol which another stream copies to, without a copy of its own, races."""
    unit.with_symbol(x, 8.0)
    with torch.Stream(device="sim"):
        unit.without_copy(x)
    torch.accelerator.synchronize()
    report = reported(sim, "stream_race")
    assert {report["kernel"], report["other"]["kernel"]} == {"scaled", "cudaMemcpyAsync"}


def test_per_thread_default_stream(sim: ModuleType, unit: ModuleType, x: torch.Tensor) -> None:
    """cudaStreamPerThread is a stream of the host thread, ordered with the default stream and no other."""
    assert unit.on_thread_stream(x).cpu().tolist() == RIGHT
    assert sim.reports() == []
    assert stalled(unit.on_thread_stream) != RIGHT
    assert "wrong_stream" in kinds(sim)
    streams = {unit.thread_stream()}
    thread = threading.Thread(target=lambda: streams.add(unit.thread_stream()))
    thread.start()
    thread.join()
    assert len(streams | {0}) == 3


def test_capture_refuses_what_cuda_refuses(sim: ModuleType, unit: ModuleType) -> None:
    """cudaMalloc, an event of outside and the legacy stream beside a blocking capture spoil the capture."""
    captured = {"cudaMalloc": 900, "cudaStreamWaitEvent": 905, "legacy launch": 906, "cudaEventQuery": 907}
    for number, (name, error) in enumerate(captured.items()):
        assert unit.refused(number) == [error, 901], name
    assert unit.refused(len(captured)) == [0, 0]


OTHER_DEVICE = """
import sys
from pathlib import Path
from grader import simulator
simulator.load_runtime()
import torch
from grader.toolchain import load
unit = load(Path(sys.argv[1]), "unit")
x = torch.arange(16.0, device="sim:1")
torch.accelerator.synchronize(1)
(unit.of_dead_temporary if sys.argv[2] == "freed" else unit.unguarded)(x)
try:
    torch.accelerator.synchronize(0)
except RuntimeError as error:
    print(error)
print([report["kind"] for report in simulator.reports()])
"""


@pytest.mark.parametrize("memory", ["living", "freed"])
def test_tensors_of_the_other_device(unit: ModuleType, memory: str) -> None:
    """Without a guard, memory of one device in a kernel of the other is an illegal address, freed or not."""
    command = [sys.executable, "-c", OTHER_DEVICE, str(unit.__file__), memory]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "CUDA error: an illegal memory access" in done.stdout, done.stderr
    assert "the tensor is on device 1, the kernel runs on device 0" in done.stdout
    assert "['illegal_address']" in done.stdout


def test_more_than_two_billion_elements(sim: ModuleType, unit: ModuleType) -> None:
    """A kernel writes behind the 2^31st byte of a tensor."""
    x = torch.empty(2**31 + 8, dtype=torch.int8, device="sim")
    unit.write_last(x)
    assert x[-2:].cpu().tolist()[1] == 9
    assert sim.reports() == []
