"""Pictures are tested for what they say: labels, alt text and text form."""

import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import torch

from grader.notebook import plots
from grader.notebook.plots._flow import _edge
from grader.notebook.plots._record import from_trace

OVERRUN = {
    "kind": "out_of_bounds",
    "access": "write",
    "bytes": 4,
    "argument": "out",
    "index": 1000,
    "numel": 1000,
    "block": [3, 0, 0],
    "thread": [232, 0, 0],
    "line": 8,
    "count": 24,
}
RACE = {
    "kind": "stream_race",
    "kernel": "scale",
    "stream": 0,
    "current_stream": 3,
    "access": "read",
    "argument": "x",
    "other": {"kernel": "slow_fill", "stream": 3, "access": "write"},
}


def test_importing_plots_leaves_matplotlib_alone() -> None:
    """A judge on a machine without matplotlib can import the package."""
    code = "import sys; import grader.notebook.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_drawing_registers_no_figure_with_pyplot() -> None:
    """A picture leaves nothing behind that a later plt.show() in the notebook would draw."""
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    plots.thread_map(2, 4, 7)
    assert plt.get_fignums() == before


def test_html_is_one_image_with_escaped_alt_text() -> None:
    """The alt text survives quotes and angle brackets, and the fragment is well-formed."""
    picture = plots.Picture(alt='k<float> & "x"', png=b"\x89PNG")
    image = ElementTree.fromstring(picture.html().removesuffix(">") + "/>")
    assert image.tag == "img"
    assert image.get("alt") == 'k<float> & "x"'
    assert str(image.get("src")).startswith("data:image/png;base64,")


def test_a_terminal_gets_the_alt_text() -> None:
    """The plain-text form says what the picture shows."""
    bundle = plots.thread_map(3, 4, 10)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert "3 × 4 = 12 threads, 10 elements" in bundle["text/plain"]


@pytest.mark.parametrize(
    ("grid", "block", "n", "says"),
    [
        (3, 4, 10, "the threads with i = 10 to 11 have no element"),
        (2, 4, 10, "the elements i = 8 to 9 have no thread"),
        (2, 4, 8, "each thread has one element"),
        (1, 4, 3, "the threads with i = 3 have no element"),
        (4, 256, 1000, "the threads with i = 1000 to 1023 have no element"),
        (3, 256, 1000, "the elements i = 768 to 999 have no thread"),
        (0, 256, 0, "0 × 256 = 0 threads, 0 elements"),
    ],
)
def test_thread_map_counts_what_has_no_partner(grid: int, block: int, n: int, says: str) -> None:
    """The caption and the alt text name exactly the threads or elements left over."""
    picture = plots.thread_map(grid, block, n)
    assert says in picture.alt
    assert any(says in label for label in picture.labels)


def test_thread_map_of_a_large_grid_labels_its_ends_only() -> None:
    """Four thousand blocks are drawn as the first two and the last two."""
    labels = plots.thread_map(4096, 256, (1 << 20) - 300).labels
    assert "block 0\nthreads 0 to 255" in labels
    assert "block 4095\nthreads 0 to 255" in labels
    assert "block 7\nthreads 0 to 255" not in labels
    assert len(labels) < 20


def test_thread_map_refuses_a_negative_count() -> None:
    """A mistaken argument is named, not drawn."""
    with pytest.raises(ValueError, match="n >= 0"):
        plots.thread_map(1, 4, -1)


def test_memory_layout_of_a_transpose_keeps_memory_and_changes_owners() -> None:
    """a and a.t() list the same values at the same offsets, with the indices exchanged."""
    a = torch.arange(6.0).reshape(2, 3)
    assert "offset 1 holds 1, [0, 1]" in plots.memory_layout(a).alt
    transposed = plots.memory_layout(a.t(), "a.t()")
    assert "offset 1 holds 1, [1, 0]" in transposed.alt
    assert "next row: +1 in memory" in transposed.labels
    assert "next column: +3 in memory" in transposed.labels
    assert "a.t(): shape (3, 2), stride (1, 3)" in transposed.labels


def test_memory_layout_shows_elements_outside_the_view() -> None:
    """A slice's storage is drawn whole, and what the view skips is called so."""
    picture = plots.memory_layout(torch.arange(6)[1::2])
    assert "offset 0 holds 0, not in this view" in picture.alt
    assert "offset 3 holds 3, [1]" in picture.alt
    assert any("grey is not part of this view" in label for label in picture.labels)
    assert "next element: +2 in memory" in picture.labels


def test_memory_layout_of_an_expanded_tensor_counts_its_shared_elements() -> None:
    """Stride 0 is drawn as many indices in one place."""
    picture = plots.memory_layout(torch.ones(3, 1).expand(3, 4))
    assert "offset 0 holds 1, [0, 0] to [0, 3] (4 elements)" in picture.alt
    assert "next column: +0 in memory (the same place)" in picture.labels


@pytest.mark.parametrize("shape", [(2, 2, 2), (0,), (100,)])
def test_memory_layout_refuses_what_it_cannot_draw(shape: tuple[int, ...]) -> None:
    """Three dimensions, no elements and too many elements are refused in words."""
    with pytest.raises(ValueError, match="memory_layout draws"):
        plots.memory_layout(torch.zeros(shape))


def test_overrun_names_element_block_thread_and_line() -> None:
    """The picture of an overrun says who wrote where."""
    picture = plots.overrun(OVERRUN)
    assert "write of out[1000], 4 bytes\nblock 3, thread 232, line 8" in picture.labels
    assert "out: elements 0 to 999" in picture.labels
    assert "1 past the last element" in picture.alt
    assert "24 such accesses" in picture.alt


def test_overrun_before_the_start_and_far_away() -> None:
    """A negative index is drawn left of the array, a distant one behind a gap."""
    before = plots.overrun(OVERRUN | {"index": -1, "access": "read"})
    assert "1 before the first element" in before.alt
    far = plots.overrun(OVERRUN | {"index": 5000, "thread": [1, 2, 0]})
    assert {"…", "5000"} <= set(far.labels)
    assert "thread (1, 2, 0)" in far.alt


def test_overrun_of_one_element_and_of_none() -> None:
    """The smallest arrays are named as they are."""
    assert "out: element 0" in plots.overrun(OVERRUN | {"index": 1, "numel": 1}).labels
    assert "out: no elements" in plots.overrun(OVERRUN | {"index": 0, "numel": 0}).labels


def test_overrun_refuses_a_report_without_an_index() -> None:
    """Another kind of report is not drawn as an overrun."""
    with pytest.raises(ValueError, match="index"):
        plots.overrun({"kind": "leak"})


def test_timeline_of_a_race_report_shows_both_accesses_and_the_missing_edge() -> None:
    """The writer's and the reader's streams, what each does, and that nothing orders them."""
    picture = plots.timeline(RACE)
    assert {"slow_fill\nwrites x", "scale\nreads x", "stream 3", "default stream", "no edge"} <= set(
        picture.labels
    )
    assert "No edge makes scale wait for slow_fill" in picture.alt
    assert any("not to scale" in label for label in picture.labels)


def test_timeline_of_a_race_with_later_work() -> None:
    """The order of submission is drawn, whichever of the two accesses the report is about."""
    report = {
        "kind": "stream_race", "access": "write", "kernel": "scale", "launch_line": 9, "stream": 3,
        "other": {"access": "read", "operator": "aten::sum", "stream": 0, "later": True},
    }  # fmt: skip
    picture = plots.timeline(report)
    assert {"scale\nwrites the data", "aten::sum\nreads the data"} <= set(picture.labels)
    assert "No edge makes aten::sum wait for scale" in picture.alt


def test_timeline_of_a_race_of_one_kernel_with_itself() -> None:
    """Two launches of one kernel are told apart, and the missing edge leads from one to the other."""
    report = {"kind": "stream_race", "access": "write", "kernel": "scale", "stream": 3}
    report |= {"other": {"access": "write", "kernel": "scale", "stream": 5}}
    assert "No edge makes scale (later) wait for scale (earlier)" in plots.timeline(report).alt


def test_timeline_places_ordered_kernels_one_after_the_other() -> None:
    """Kernels of one stream, or joined by an edge, do not overlap; unordered ones do."""
    from grader.notebook.plots._timeline import _schedule

    fill, same, other = (plots.Launch(k, s) for k, s in (("fill", "a"), ("scale", "a"), ("scale", "b")))
    serial = _schedule([fill, same], {}, [])
    assert serial[1].start == serial[0].end
    joined = _schedule([fill, other], {}, [("fill", "scale")])
    assert joined[1].start == joined[0].end
    racing = _schedule([fill, other], {}, [])
    assert racing[1].start < racing[0].end


def test_timeline_with_times_says_them() -> None:
    """Measured times are drawn to scale and told in the alt text."""
    launches = [
        plots.Launch("fill", "stream 13", None, 0, 5200),
        plots.Launch("scale", "default stream", None, 40, 52),
    ]
    picture = plots.timeline(launches, missing=("fill", "scale"))
    assert "scale runs on default stream, from 40 to 52 microseconds" in picture.alt
    assert "time on the device (5,200 microseconds from end to end)" in picture.labels


def test_timeline_counts_from_the_first_kernel_drawn() -> None:
    """Whatever ran before the kernels that are drawn takes no room."""
    picture = plots.timeline([plots.Launch("fill", "a", None, 150, 350)])
    assert "from 0 to 200 microseconds" in picture.alt


def test_timeline_names_a_kernel_that_it_does_not_find() -> None:
    """A misspelt kernel in `missing` is an error that lists the kernels seen."""
    with pytest.raises(ValueError, match=r"'skale' among: scale"):
        plots.timeline([plots.Launch("scale", "a")], missing=("skale", "scale"))


def test_a_profiler_trace_becomes_launches_in_order_of_start() -> None:
    """Only kernels count, their names lose the arguments, and stream 7 is the default stream."""
    trace = {
        "traceEvents": [
            {"cat": "kernel", "name": "scale(float*, int)", "ts": 140.0, "dur": 12.0, "args": {"stream": 7}},
            {"cat": "kernel", "name": "fill(float*)", "ts": 100.0, "dur": 52.0, "args": {"stream": 13}},
            {"cat": "cpu_op", "name": "aten::empty", "ts": 90.0, "dur": 1.0, "args": {}},
        ]
    }
    assert from_trace(trace) == [
        plots.Launch("fill", "stream 13", None, 0.0, 52.0),
        plots.Launch("scale", "default stream", None, 40.0, 52.0),
    ]


def test_timeline_takes_the_first_of_several_reports() -> None:
    """The card hands over all reports of a check."""
    assert plots.timeline([RACE, RACE | {"kernel": "other"}]) == plots.timeline(RACE)


def test_timeline_of_a_wrong_stream_report_draws_the_current_stream_too() -> None:
    """A report without a second access still says where the kernel should have run."""
    report = {"kind": "wrong_stream", "kernel": "scale", "stream": 0, "current_stream": 3, "launch_line": 9}
    labels = plots.timeline(report).labels
    assert {"default stream", "stream 3", "no edge"} <= set(labels)


def test_curves_say_where_each_line_begins_and_ends() -> None:
    """Alt text and labels name every series with its last value; what cannot be logarithmic is refused."""
    picture = plots.curves({"right": [1.0, 0.1, 0.01], "short": [1.0, 0.5, 0.2]})
    assert "right goes from 1 to 0.01 over 3 values." in picture.alt
    assert any("short" in label and "0.2" in label for label in picture.labels)
    with pytest.raises(ValueError, match="positive"):
        plots.curves({"falls to nothing": [1.0, 0.0]})


def test_a_roofline_says_how_far_below_the_roof_a_kernel_is() -> None:
    """A measured kernel is compared with the roof above it, one without a measurement stands at it."""
    picture = plots.roofline({"mine": (1.0, 2e12), "counted": (0.5, None)}, bandwidth=4e12, arithmetic=64e12)
    assert "at 16 for each byte" in picture.alt
    assert "mine: 1 operations for each byte, does 2e+12, 50% of the roof there" in picture.alt
    assert "counted: 0.5 operations for each byte, could do 2e+12" in picture.alt
    assert {"mine", "counted"} <= set(picture.labels)


@pytest.mark.parametrize("kernels", [{}, {"nothing": (0.0, None)}, {"stands still": (1.0, 0.0)}])
def test_a_roofline_of_nothing_is_refused(kernels: dict[str, tuple[float, float | None]]) -> None:
    """Logarithmic axes have no zero, and a picture of no kernel is a mistake."""
    with pytest.raises(ValueError, match="roofline draws"):
        plots.roofline(kernels, bandwidth=1e12, arithmetic=1e12)


def test_flow_draws_every_box_and_what_stands_on_its_arrows() -> None:
    """Boxes are named by their text and not by their key, and an arrow carries its own."""
    boxes = {"a": (2.0, 1.5, "bindings.cpp", 0), "b": (8.0, 1.5, "_C.so", -1)}
    picture = plots.flow(boxes, [("a", "b", "c++"), ("b", "a", "")], "One file becomes a library.")
    assert {"bindings.cpp", "_C.so", "c++"} <= set(picture.labels)
    assert "a" not in picture.labels
    assert picture.alt == "One file becomes a library."


@pytest.mark.parametrize(
    ("outside", "leaves"), [((10.0, 0.0), (1.0, 0.0)), ((0.0, -9.0), (0.0, -0.5)), ((0.5, 0.0), (0.5, 0.0))]
)
def test_an_arrow_begins_at_the_edge_of_its_box(
    outside: tuple[float, float], leaves: tuple[float, float]
) -> None:
    """To the side, downwards, and never beyond where it goes."""
    assert _edge((0.0, 0.0), outside, SimpleNamespace(width=2.0, height=1.0)) == leaves
