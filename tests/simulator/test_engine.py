"""The engine alone, without torch: every fault is caught where it happens, and its correct twin is silent."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KERNELS = Path(__file__).parent / "engine_kernels.cpp"
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(run_engine: Run) -> Run:
    """Return a function that runs one case of `engine_kernels.cpp` and returns what the engine said."""
    return functools.partial(run_engine, "engine")


def line_of(marker: str) -> int:
    """Return the line of the kernels' source that carries `// FAULT marker`."""
    lines = KERNELS.read_text().splitlines()
    (found,) = (i for i, text in enumerate(lines, 1) if text.endswith(f"// FAULT {marker}"))
    return found


def resolved_line(report: dict[str, Any]) -> int:
    """Return the line of the innermost frame in the kernels' source, inlined ones included."""
    for frame in report.get("stack", [report["pc"]]):
        module, offset = frame.rsplit("+", 1)
        command = ["addr2line", "-i", "-e", module, offset]
        for place in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            file, line = place.split(" ")[0].rsplit(":", 1)
            if Path(file).name == KERNELS.name:
                return int(line)
    raise AssertionError(report)


SILENT = [
    *("add_one", "aligned", "constants", "local_array", "shared", "shared_dynamic", "shared_row", "barrier"),
    *(
        "early_return",
        "hand_over",
        "assert_holds",
        "warp_sum",
        "collectives",
        "groups",
        "atomics",
        "parameters",
    ),
    *("order", "opted_in", "own_masks"),
]


@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
@pytest.mark.parametrize("case", SILENT)
def test_right_kernels_are_silent(run: Run, case: str, order: str) -> None:
    """A right program gets no report and no error, whatever the order of its threads."""
    said = run(case, order)
    assert said["reports"] == []
    assert said["error"] == 0
    assert said["exception"] == ""


FAULTS = [
    # case, kind, access, argument, index, block, thread, marker
    ("out_of_bounds", "out_of_bounds", "write", "out", 300, [4, 0, 0], [44, 0, 0], "out_of_bounds"),
    ("before_begin", "out_of_bounds", "write", "out", -1, [0, 0, 0], [0, 0, 0], "before_begin"),
    ("uninitialised_read", "uninitialised_read", "read", "a", 0, [0, 0, 0], [0, 0, 0], "out_of_bounds"),
    ("misaligned", "misaligned", "read", "a", 0, [0, 0, 0], [0, 0, 0], "misaligned"),
    ("use_after_free", "use_after_free", "read", "a", 0, [0, 0, 0], [0, 0, 0], "follow"),
    ("null", "illegal_address", "read", None, None, [0, 0, 0], [0, 0, 0], "follow"),
    ("host_pointer", "illegal_address", "read", None, None, [0, 0, 0], [0, 0, 0], "follow"),
    ("wild", "illegal_address", "read", None, None, [0, 0, 0], [0, 0, 0], "follow"),
    ("far_away", "illegal_address", "read", None, None, [0, 0, 0], [0, 0, 0], "follow"),
    ("other_device", "illegal_address", "read", "a", 0, [0, 0, 0], [0, 0, 0], "follow"),
    ("constant_overrun", "out_of_bounds", "read", "table", 4, [0, 0, 0], [4, 0, 0], "constant"),
    ("array_bounds", "array_bounds", None, None, 4, [0, 0, 0], [0, 0, 0], "array_bounds"),
    ("shared_row_overrun", "array_bounds", None, None, 32, [0, 0, 0], [31, 0, 0], "shared_row_overrun"),
    ("shared_unwritten", "uninitialised_read", "read", "tile", 63, [0, 0, 0], [0, 0, 0], "unwritten"),
    ("shared_overrun", "out_of_bounds", "write", "tile", 32, [0, 0, 0], [31, 0, 0], "shared_overrun"),
    ("barrier_divergence", "barrier_divergence", None, None, None, [0, 0, 0], [32, 0, 0], "second_barrier"),
    ("deadlock", "deadlock", None, None, None, [0, 0, 0], [0, 0, 0], "stuck_shuffle"),
    ("masks_disagree", "warp_divergence", None, None, None, [0, 0, 0], [0, 0, 0], "low_mask"),
    ("operations_disagree", "warp_divergence", None, None, None, [0, 0, 0], [0, 0, 0], "reduce"),
    ("spin", "deadlock", None, None, None, [0, 0, 0], None, "spin"),
    ("endless", "deadlock", None, None, None, [0, 0, 0], [0, 0, 0], "endless"),
    ("assert", "assert", None, None, None, [0, 0, 0], [5, 0, 0], "assert"),
    ("absent_lane", "absent_lane", None, None, None, [0, 0, 0], [0, 0, 0], "absent_lane"),
    ("cached_read", "out_of_bounds", "read", "a", 32, [0, 0, 0], [0, 0, 0], "cached_read"),
    ("accessor", "out_of_bounds", "write", "rows", 4, [0, 0, 0], [2, 0, 0], "accessor"),
    ("restricted", "out_of_bounds", "write", "out", 5, [0, 0, 0], [0, 0, 0], "restricted"),
    ("volatile_overrun", "out_of_bounds", "write", "out", 4, [0, 0, 0], [0, 0, 0], "volatile"),
    ("atomic_overrun", "out_of_bounds", "atomic", "out", 4, [0, 0, 0], [0, 0, 0], "atomic"),
    ("atomic_uninitialised", "uninitialised_read", "atomic", "out", 0, [0, 0, 0], [0, 0, 0], "atomic"),
    ("copied", "out_of_bounds", "write", "out", 3, [0, 0, 0], [0, 0, 0], "memcpy"),
    ("standard_atomic", "out_of_bounds", "atomic", "out", 4, [0, 0, 0], [0, 0, 0], "standard_atomic"),
    ("divide", "division_by_zero", None, None, None, [0, 0, 0], [0, 0, 0], "divide"),
]


@pytest.mark.parametrize(
    ("case", "kind", "access", "argument", "index", "block", "thread", "marker"),
    FAULTS,
    ids=[f[0] for f in FAULTS],
)
def test_faults_are_located(
    run: Run,
    case: str,
    kind: str,
    access: str | None,
    argument: str | None,
    index: int | None,
    block: list[int],
    thread: list[int] | None,
    marker: str,
) -> None:
    """A report names the access, the element, block and thread, and its pc leads to the source line."""
    first = run(case)["reports"][0]
    assert (first["kind"], first.get("access"), first.get("argument")) == (kind, access, argument)
    assert first.get("index") == index
    assert first["block"] == block
    if thread is not None:
        assert first["thread"] == thread
    assert resolved_line(first) == line_of(marker)


@pytest.mark.parametrize(
    ("case", "error"),
    [
        ("null", 700),
        ("misaligned", 716),
        ("assert", 710),
        ("spin", 702),
        ("array_bounds", 700),
        ("out_of_bounds", 0),
        ("shared_row_overrun", 0),
        ("absent_lane", 0),
    ],
)
def test_faults_set_cudas_error(run: Run, case: str, error: int) -> None:
    """Faults that kill a context on a GPU leave its error behind; those that a GPU does not see, none."""
    assert run(case)["error"] == error


def test_reports_are_counted_not_repeated(run: Run) -> None:
    """The same fault of all threads is one report with a count."""
    (report,) = run("uninitialised_read")["reports"]
    assert report["count"] == 64


def test_out_of_bounds_says_how_large_the_tensor_is(run: Run) -> None:
    """Sizes come with the index: elements from the argument's address, bytes of the allocation."""
    (report,) = run("out_of_bounds")["reports"]
    expected = {"numel": 300, "dtype_bytes": 4, "offset_bytes": 1200, "allocation_bytes": 1200, "bytes": 4}
    assert expected.items() <= report.items()


def test_divergence_names_both_barriers(run: Run) -> None:
    """Threads that wait at different barriers are listed with their lines."""
    (report,) = run("barrier_divergence")["reports"]
    first, second = line_of("first_barrier"), line_of("second_barrier")
    assert (
        f"threads 0-31 at __syncthreads, line {first}; threads 32-63 at __syncthreads, line {second}"
        in report["message"]
    )


def test_deadlock_tells_who_waits_where(run: Run) -> None:
    """A block in which nobody can go on is described, and its launch abandoned."""
    (report,) = run("deadlock")["reports"]
    assert "threads 0-15 at __shfl_sync" in report["message"]
    assert "threads 16-31 at __syncthreads" in report["message"]


def test_masks_that_disagree_are_named_with_their_lanes(run: Run) -> None:
    """Lanes of a warp that wait for each other at different places are told with masks and lines."""
    (report,) = run("masks_disagree")["reports"]
    low, high = line_of("low_mask"), line_of("high_mask")
    assert (
        f"lanes 0-15 at __shfl_xor_sync with mask 0x00ffffff, line {low}; "
        f"lanes 16-31 at __shfl_xor_sync with mask 0xffffff00, line {high}"
    ) in report["message"]
    (report,) = run("operations_disagree")["reports"]
    odd = ", ".join(str(lane) for lane in range(1, 32, 2))
    place = f"lanes {odd} at __ballot_sync with mask 0xffffffff, line {line_of('ballot')}"
    assert place in report["message"]


@pytest.mark.parametrize(("case", "words"), [("throwing", "too large"), ("nested", "no dynamic parallelism")])
def test_an_exception_ends_the_kernel_only(run: Run, case: str, words: str) -> None:
    """What a kernel throws is reported and never leaves its thread."""
    said = run(case)
    assert [r["kind"] for r in said["reports"]] == ["assert"]
    assert words in said["reports"][0]["message"]
    assert said["error"] == 719


def test_large_local_arrays_meet_the_end_of_the_stack(run: Run) -> None:
    """A thread that needs more local memory than it has is reported, not left to overwrite a neighbour."""
    (report,) = run("stack")["reports"]
    assert report["kind"] == "illegal_address"
    assert "local memory" in report["message"]


@pytest.mark.parametrize("case", ["host_access", "host_memcpy"])
def test_host_access_to_device_memory_is_a_crash(run: Run, case: str) -> None:
    """As on a GPU the process dies, but its last report says why."""
    said = run(case)
    assert said.get("crashed")
    assert [r["kind"] for r in said["reports"]] == ["host_access"]


def test_second_free_is_reported(run: Run) -> None:
    """Freeing twice names who freed first."""
    (report,) = run("double_free")["reports"]
    assert report["kind"] == "double_free"
    assert "already freed by the test" in report["message"]


@pytest.mark.parametrize(
    ("case", "error", "words"),
    [
        ("too_many_threads", 1, "1025 threads"),
        ("no_blocks", 1, "no block"),
        ("tall_grid", 1, "65536"),
        ("much_shared", 1, "49156 bytes of dynamic shared memory"),
        ("wrong_device_stream", 400, "device 1"),
    ],
)
def test_bad_launches_are_refused(run: Run, case: str, error: int, words: str) -> None:
    """A launch that CUDA refuses sets CUDA's error, says why, and runs nothing."""
    said = run(case)
    (report,) = said["reports"]
    assert report["kind"] == "launch_error"
    assert words in report["message"]
    assert said["error"] == error


def test_call_without_a_launch_raises(run: Run) -> None:
    """Calling a kernel like a function is an exception that says what is missing."""
    assert run("unconfigured")["exception"] == "add_one was called without <<<grid, block>>>"


def test_launches_are_logged(run: Run) -> None:
    """The log tells kernel, line, stream, device and configuration, also when kernels are no-ops."""
    for order in ("ascending", "disabled"):
        (launch,) = run("out_of_bounds", order)["launches"]
        expected = {"kernel": "add_one", "device": 0, "stream": 0, "current_stream": 0}
        assert expected.items() <= launch.items()
        assert (launch["grid"], launch["block"]) == ([5, 1, 1], [64, 1, 1])


def test_disabled_kernels_do_nothing(run: Run) -> None:
    """With kernels off, a launch leaves its outputs alone and finds no fault."""
    said = run("order", "disabled")
    assert said["values"] == [0] * 12
    assert run("out_of_bounds", "disabled")["reports"] == []


@pytest.mark.parametrize(
    ("case", "values"),
    [
        ("warp_sum", [64]),
        ("collectives", [13] * 32),
        ("groups", [9] * 64),
        ("atomics", [128, 63, 256, 64, 32, 8]),
        ("parameters", [11] * 4),
    ],
)
def test_values_are_cudas(run: Run, case: str, values: list[float]) -> None:
    """Collectives, atomics and by-value parameters compute what CUDA's do, in every order."""
    for order in ("ascending", "descending", "random"):
        assert run(case, order)["values"] == values


def test_orders_differ_and_are_reproducible(run: Run) -> None:
    """Descending is the reverse of ascending; a random order is a permutation that its seed decides."""
    ascending = run("order")["values"]
    assert ascending == list(range(12))
    assert run("order", "descending")["values"] == ascending[::-1]
    shuffled = run("order", "random", 5)["values"]
    assert shuffled not in (ascending, ascending[::-1])
    assert sorted(shuffled) == ascending
    assert run("order", "random", 5)["values"] == shuffled
    assert run("order", "random", 6)["values"] != shuffled
