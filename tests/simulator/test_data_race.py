"""Data races on the engine alone: each fault in every order, its ordered twin silent."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KERNELS = Path(__file__).parent / "race_kernels.cpp"
ORDERS = ("ascending", "descending", "random")
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(run_engine: Run) -> Run:
    """Return a function that runs one case of `race_kernels.cpp` and returns what the engine said."""
    return functools.partial(run_engine, "race")


def lines_of(*markers: str) -> set[int]:
    """Return the lines of the kernels' source that carry `// FAULT marker`."""
    lines = KERNELS.read_text().splitlines()
    found = {
        i for i, text in enumerate(lines, 1) for marker in markers if text.endswith(f"// FAULT {marker}")
    }
    assert len(found) == len(markers)
    return found


def line(access: dict[str, Any]) -> int:
    """Return the line of the innermost frame in the kernels' source, inlined ones included."""
    for frame in access.get("stack", [access["pc"]]):
        module, offset = frame.rsplit("+", 1)
        command = ["addr2line", "-i", "-e", module, offset]
        for place in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            file, number = place.split(" ")[0].rsplit(":", 1)
            if Path(file).name == KERNELS.name:
                return int(number)
    raise AssertionError(access)


SILENT = [
    *("neighbour", "shift", "tree", "warp_tree", "half_warps", "shuffled", "total", "bytes"),
    *("words_and_bytes", "vectors", "between_blocks", "bins", "last_block", "all_fence", "look_back"),
    *(
        "unrolled",
        "look_back_atomics",
        "locked",
        "producer",
        "mailbox",
        "cleared",
        "wide_fence",
        "two_kernels",
        "own_maximum",
        "rounds",
        "rounds_of_halves",
        "columns",
    ),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", SILENT)
def test_ordered_accesses_are_silent(run: Run, case: str, order: str) -> None:
    """Barriers, warp barriers, fenced flags, atomics, other bytes and the end of a kernel order accesses."""
    said = run(case, order)
    assert said["reports"] == []
    assert said["error"] == 0


FAULTS = [
    # case, argument, what would order it, lines of the two accesses
    ("neighbour_without", "tile", "__syncthreads()", ("neighbour_write", "neighbour_read")),
    ("shift_without", "a", "__syncthreads()", ("shift_read", "shift_write")),
    ("tree_without", "part", "__syncthreads()", ("tree",)),
    (
        "warp_tree_without",
        "memory",
        "__syncwarp()",
        ("warp_tree", "warp_tree_write", "warp_tree_first", "warp_tree_second"),
    ),
    (
        "unrolled_without",
        "part",
        "__syncwarp()",
        ("unrolled_first", "unrolled_read", "unrolled_write"),
    ),
    ("half_warps_crossed", "part", "__syncwarp()", ("half_warps", "half_warps_write")),
    ("shuffled_without", "part", "__syncwarp()", ("shuffled", "shuffled_write")),
    ("total_plain", "out", "atomic", ("total",)),
    ("raise_apart", "flag", "atomic", ("raise",)),
    ("bytes_shared", "out", "atomic", ("bytes",)),
    ("rounds_without", "a", "__syncthreads()", ("rounds_read", "rounds_write")),
    ("rounds_of_halves_without", "a", "__syncthreads()", ("rounds_read", "rounds_write")),
    ("columns_shared", "a", "order between blocks", ("columns_read", "columns_write")),
    ("words_and_bytes_shared", "words", "atomic", ("words_and_bytes", "words_and_bytes_first")),
    ("between_blocks_shared", "a", "order between blocks", ("between_blocks_read", "between_blocks_write")),
    ("bins_without", "count", "__syncthreads()", ("bins", "bins_add")),
    ("read_total", "sum", "order between blocks", ("read_total", "read_total_add")),
    ("last_block_without", "parts", "order between blocks", ("last_block", "last_block_write")),
    ("look_back_without", "prefixes", "order between blocks", ("look_back", "look_back_write")),
    ("locked_without", "sum", "atomic", ("locked",)),
    ("producer_without", "box", "__syncthreads()", ("producer", "producer_write")),
    ("mailbox_without", "slot", "order between blocks", ("mailbox_write", "mailbox_read")),
    ("cleared_without", "own", "__syncthreads()", ("cleared", "cleared_write")),
    ("narrow_fence", "a", "order between blocks", ("narrow_fence", "narrow_fence_write")),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("case", "argument", "missing", "markers"), FAULTS, ids=[f[0] for f in FAULTS])
def test_races_name_both_accesses(
    run: Run, case: str, argument: str, missing: str, markers: tuple[str, ...], order: str
) -> None:
    """In each order a race tells the element, both threads and lines, and what is missing between them."""
    reports = run(case, order)["reports"]
    assert {report["kind"] for report in reports} == {"data_race"}
    assert missing in {report["missing"] for report in reports}
    for report in reports:
        other = report["other"]
        assert report["argument"] == argument
        assert isinstance(report["index"], int)
        assert {line(report), line(other)} <= lines_of(*markers)
        assert (report["block"], report["thread"]) != (other["block"], other["thread"])
        assert "write" in (report["access"], other["access"]) or "atomic" in (
            report["access"],
            other["access"],
        )


def test_lanes_in_step_are_a_race_that_may_pass(run: Run) -> None:
    """Warp-synchronous code without __syncwarp is said to pass on some GPUs; other races are not."""
    assert all("may pass on your GPU" in r["message"] for r in run("warp_tree_without")["reports"])
    assert not any("may pass" in r["message"] for r in run("neighbour_without")["reports"])


@pytest.mark.parametrize("order", ORDERS)
def test_equal_values_are_a_warning(run: Run, order: str) -> None:
    """Threads that raise one flag to the same value get a warning of its own kind."""
    (report,) = run("raise_alike", order)["reports"]
    assert report["kind"] == "same_value_write"
    assert report["count"] == 127


def test_a_read_that_comes_too_early_is_the_race_only(run: Run) -> None:
    """What a race leaves unwritten at the time of the read is not told a second time as uninitialised."""
    assert [r["kind"] for r in run("neighbour_without")["reports"]] == ["data_race"]


@pytest.mark.parametrize("order", ORDERS)
def test_hand_overs_give_the_right_values(run: Run, order: str) -> None:
    """Spin-waits across blocks make progress in every order, and see what was handed over."""
    assert run("look_back", order)["values"] == [32.0 * block for block in range(40)]
    assert run("look_back_atomics", order)["values"] == [32.0 * block for block in range(40)]
    assert run("last_block", order)["values"] == [37.0 * 64] * 2
    assert run("locked", order)["values"] == [40.0]
    assert run("mailbox", order)["values"] == [0.0] * 64 + [1.0] * 64 + [2.0] * 64
    assert run("own_maximum", order)["values"] == [511.0]
