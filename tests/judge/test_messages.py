"""Messages say what was observed, where, what was expected and what to try."""

from __future__ import annotations

from typing import Any

import pytest

from grader.exercise import Case
from grader.judge import messages
from grader.judge.faults import WorkerLostError
from grader.judge.observation import ErrorSeen

OUT_OF_BOUNDS: dict[str, Any] = {
    "kind": "out_of_bounds", "access": "write", "argument": "out", "index": 1000, "numel": 1000,
    "kernel": "add_relu_kernel", "launch_line": 21, "line": 9, "block": [3, 0, 0], "thread": [232, 0, 0],
}  # fmt: skip


def test_out_of_bounds_names_everything() -> None:
    """An access out of bounds names argument, index, extent, line, block and thread, and what to write."""
    text = messages.report("add_relu", OUT_OF_BOUNDS, 'case "odd"')
    for part in (
        "add_relu_kernel wrote out[1000]",
        "1000 elements",
        "line 9",
        "block 3, thread 232",
        "if (i < n)",
    ):
        assert part in text


def test_an_expanded_tensor_is_walked_off_its_end() -> None:
    """Where a tensor of the case is expanded, a comparison of the index is not what is missing."""
    text = messages.report("f", OUT_OF_BOUNDS, 'case "expanded"', expanded=True)
    assert "which has 1000 elements in memory" in text
    assert ".contiguous()" in text
    assert "if (i < n)" not in text


def test_the_frames_of_pytorchs_own_code_are_left_out() -> None:
    """Paths of the machine that built PyTorch, and its stack, say nothing to a learner."""
    said = (
        "Cannot call numel()\nException raised from f at /__w/pytorch/c10/core/T.cpp:340 (most recent call "
        "first):\nframe #0: c10::Error::Error + 0x7f\nframe #1: x\n\nIn the operator add"
    )
    assert messages.untraced(said).split("\n") == ["Cannot call numel()", "In the operator add"]
    assert messages.untraced("nothing of the kind") == "nothing of the kind"


def test_what_the_compiler_adds_for_its_developers_is_left_out() -> None:
    """No line of the judge, and no page of the compiler's own, follows what is wrong."""
    said = "Could not guard on Eq(u0, 1) (unhinted: Eq(u0, 1)).\nCaused by: return function(*arguments)"
    assert messages.untraced(said) == "Could not guard on Eq(u0, 1)"


@pytest.mark.parametrize(
    ("phase", "said", "advice"),
    [
        ("answer", "operator courses::add_relu does not exist", "TORCH_LIBRARY(<namespace>, m)"),
        ("package", "No module named 'myops._C'", "the module's full name"),
        ("package", "dynamic module does not define module export function (PyInit__C)", "PYBIND11_MODULE"),
        ("kernels", "answer_2a931 could not be registered: unknown type specifier", "the schema in m.def"),
    ],
)
def test_what_cannot_be_loaded_is_told_what_mends_it(phase: str, said: str, advice: str) -> None:
    """The error is followed by what mends it, and the module's own name is no part of it."""
    text = messages.unloaded(ErrorSeen(phase, 0, "RuntimeError", said))
    assert advice in text
    assert "answer_2a931" not in text


def test_an_operator_without_a_kernel_is_told_where_the_name_stands() -> None:
    """A kernel under another name than the schema's looks like none at all."""
    said = "Could not run 'a::b' with arguments from the 'CUDA' backend: it has no kernel for the device."
    text = messages.exception("a::b", ErrorSeen("call", 0, "NotImplementedError", said), "case")
    assert "m.impl" in text


def test_a_negative_index_is_told_as_one() -> None:
    """Before the first element a comparison with the size helps nobody."""
    text = messages.report("f", OUT_OF_BOUNDS | {"index": -1}, None)
    assert "must not be negative" in text
    assert "if (i < n)" not in text


def test_a_copy_has_no_index() -> None:
    """What a copy does out of bounds is told in bytes and strides."""
    text = messages.report("f", OUT_OF_BOUNDS | {"kernel": "cudaMemcpyAsync"}, None)
    assert "counts in bytes" in text
    assert "if (i < n)" not in text


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("function FBackward returned an incorrect number of gradients (expected 2, got 1)", "None"),
        ("Function FBackward returned an invalid gradient at index 1 - got [3, 5]", "shape of its input"),
        ("element 0 of tensors does not require grad and does not have a grad_fn", "by apply"),
        ("something else", "give a gradient"),
    ],
)
def test_what_autograd_says_is_explained(said: str, advice: str) -> None:
    """An error of backward is followed by what mends it."""
    text = messages.exception("f", ErrorSeen("backward", 0, "RuntimeError", said), 'case "gradient"')
    assert f"{said}. " in text
    assert advice in text


def test_launch_line_stands_in_for_an_unknown_line() -> None:
    """Where the access's own line is unknown, the launch's line is given."""
    report = {key: value for key, value in OUT_OF_BOUNDS.items() if key != "line"}
    assert "line 21" in messages.report("f", report, None)


def test_stream_race_names_both_places() -> None:
    """A race between two of the answer's own calls gives both lines, however each was found."""
    race = {"kind": "stream_race", "message": "a and b race", "launch_line": 21, "other": {"line": 9}}
    assert "lines 9 and 21" in messages.report("f", race, None)
    assert "line 21)" in messages.report("f", race | {"other": {"operator": "aten::add"}}, None)
    assert "line 21)" in messages.report("f", race | {"other": {"launch_line": 21}}, None)


def test_a_race_between_streams_is_advised_on_once() -> None:
    """The engine's own advice gives way to the judge's, but for memory that is freed too early."""
    race = {
        "kind": "stream_race",
        "message": "a and b race. Use the same stream, or an event.",
        "launch_line": 21,
    }
    text = messages.report("f", race, None)
    assert text.startswith("f: a and b race (line 21). Do all work on")
    assert "Use the same stream" not in text
    freed = race | {"message": "a freed what b read. Call record_stream, or wait."}
    assert (
        messages.report("f", freed, None) == "f: a freed what b read (line 21). Call record_stream, or wait."
    )


def test_wrong_stream_reads_as_the_style_guide_says() -> None:
    """A kernel on another stream is told with both streams and the argument to pass."""
    report = {"kind": "wrong_stream", "kernel": "k", "stream": 0, "current_stream": 7, "launch_line": 14}
    text = messages.report("side_stream_scale", report, 'case "odd"')
    assert text == (
        'side_stream_scale: k ran on stream 0 while stream 7 was current (case "odd", line 14). '
        "Ask for c10::cuda::getCurrentCUDAStream() at every call, and pass it as the fourth launch argument."
    )


@pytest.mark.parametrize(
    ("profiled", "name"),
    [
        ("add_kernel(float const*, float*, int)", "add_kernel"),
        ("void scale_kernel<c10::Half>(c10::Half const*, int)", "scale_kernel"),
        ("void (anonymous namespace)::scale<float, 4>(float*)", "(anonymous namespace)::scale"),
        ("add_kernel", "add_kernel"),
        ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)"),
        ("", "a kernel"),
    ],
)
def test_a_kernel_is_named_as_it_is_launched(profiled: str, name: str) -> None:
    """A GPU's profile has the whole signature of a kernel; the message has its name."""
    text = messages.report("f", {"kind": "wrong_stream", "kernel": profiled, "stream": 0}, None)
    assert text.startswith(f"f: {name} ran on stream 0")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("cudaMemcpy", "ends in Async"),
        ("cudaMemcpyAsync", "ends in Async"),
        ("Memset (Device)", "ends in Async"),
        ("aten::add", "leave the one that the caller chose"),
    ],
)
def test_what_is_no_kernel_is_named_and_advised_as_what_it_is(name: str, advice: str) -> None:
    """A copy, a fill or an operator on the wrong stream is named, and no launch argument would mend it."""
    report = {"kind": "wrong_stream", "kernel": name, "stream": 0, "current_stream": 7}
    text = messages.report("f", report, None)
    assert f"{name} ran on stream 0" in text
    assert advice in text
    assert "launch argument" not in text


@pytest.mark.parametrize("kind", sorted(messages._SAYINGS))
def test_every_kind_has_words_and_advice(kind: str) -> None:
    """Every kind of report gives two sentences without a hole, even when it carries nothing else."""
    text = messages.report("f", {"kind": kind}, None)
    assert text.startswith("f: ")
    assert "{" not in text
    assert text.count(". ") >= 1


def test_unknown_kind_shows_the_simulators_words() -> None:
    """A kind that nobody has words for yet shows the report's own message."""
    assert "sparks" in messages.report("f", {"kind": "new", "message": "sparks"}, None)


def test_one_element_is_singular() -> None:
    """One element is one element."""
    beyond = {"kind": "out_of_bounds", "argument": "a", "index": 1, "numel": 1}
    assert messages.place_in_tensor(beyond).endswith("1 element")


def test_the_size_is_told_of_what_lies_beyond_only() -> None:
    """An element that is there is named without the number of its neighbours."""
    text = messages.report("f", {"kind": "uninitialised_read", "argument": "a", "index": 1, "numel": 5}, None)
    assert "read a[1] before anything was written there" in text


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("65536 bytes of dynamic shared memory, the kernel may have 49152", "cudaFuncSetAttribute"),
        ("the kernel's shared variables take 65536 bytes, a block has 49152", "cudaFuncSetAttribute"),
        ("the block (2048, 1, 1) has 2048 threads, at most 1024", "of 1024 threads or fewer"),
    ],
)
def test_advice_fits_why_a_launch_was_refused(message: str, advice: str) -> None:
    """Too much shared memory is not mended by another grid."""
    assert advice in messages.report("f", {"kind": "launch_error", "message": message}, None)


def test_crash_shows_the_last_words() -> None:
    """A crash names the signal, the place, and what was printed last."""
    text = messages.lost("f", WorkerLostError("crash", "crashed (SIGSEGV)", "here\nthere\n"), 'case "one"')
    assert text.startswith('f crashed (SIGSEGV) (case "one").')
    assert '"there"' in text


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("crash", "pointer"),
        ("abort", "failed assert"),
        ("exit", "Return a result"),
        ("time-out", "loop that does not end"),
        ("malformed", "Return tensors"),
    ],
)
def test_advice_fits_how_the_worker_ended(reason: str, advice: str) -> None:
    """Each way of giving no result has advice of its own, and only a crash speaks of pointers."""
    text = messages.lost("f", WorkerLostError(reason, "ended"), 'case "one"')
    assert advice in text
    assert ("pointer" in text) == (reason == "crash")


def test_exception_reads_as_sentences() -> None:
    """What the answer said ends with a full stop before the advice begins."""
    error = ErrorSeen("call", 0, "MemoryError", "std::bad_alloc")
    text = messages.exception("f", error, 'case "one"')
    assert text.startswith('f raised MemoryError when called (case "one"): std::bad_alloc. It asked for more')


def test_exception_without_words_or_with_too_many_arguments() -> None:
    """An assertion that says nothing leaves no colon, and arguments that are not taken are what to mend."""
    silent = messages.exception("f", ErrorSeen("call", 0, "AssertionError", ""), "")
    assert silent.startswith("f raised AssertionError when called. These inputs are valid")
    error = ErrorSeen("call", 0, "TypeError", "f() takes 2 positional arguments but 3 were given")
    assert messages.exception("f", error, "").endswith("Accept the arguments that the exercise names.")


def test_late_fault_is_told_by_its_report() -> None:
    """A fault that surfaced after the call is told by the report on it, not by CUDA's number."""
    error = ErrorSeen("finish", 0, "RuntimeError", "CUDA error: an illegal memory access was encountered")
    assert "out[1000]" in messages.exception("f", error, "somewhere", [OUT_OF_BOUNDS])


def test_missing_function_asks_for_the_near_one() -> None:
    """A misspelt function is found, and the expected signature is shown."""
    text = messages.signature(
        "add_relu", "torch::Tensor add_relu(...)", ["add_rleu", "other"], "host function"
    )
    assert "`torch::Tensor add_relu(...)`" in text
    assert "did you mean `add_relu`" in text
    assert "`add_rleu`" in text


@pytest.mark.parametrize(
    ("observed", "advice"),
    [
        ("the grid (1, 65536, 1) is larger than (2147483647, 65535, 65535)", "the long dimension along x"),
        ("the grid (0, 1, 1) has no block", "Round the number of blocks up"),
        ("the block (1025, 1, 1) has 1025 threads, at most 1024 (z: 64) are allowed", "128 or 256"),
        ("the stream belongs to device 0, the current device is 1", "CUDAGuard"),
        ("the block (0, 1, 1) has no thread", "Check grid and block."),
    ],
)
def test_a_refused_launch_is_told_what_would_be_accepted(observed: str, advice: str) -> None:
    """Which limit was passed decides what to try."""
    assert advice in messages.report("f", {"kind": "launch_error", "message": observed}, None)


def test_case_is_named_with_shape_and_layout() -> None:
    """A case is named with its shape, and with its layout unless it is dense."""
    assert messages.case_text(Case("t", (4, 5), "transposed")) == 'case "t", shape [4, 5], transposed'
    assert messages.case_text(Case("d", (4,))) == 'case "d", shape [4]'
    both = messages.case_text(Case("b", (4, 5), "dense,strided"))
    assert both == 'case "b", shape [4, 5], inputs contiguous, strided'


RACE: dict[str, Any] = {
    "kind": "data_race", "access": "read", "argument": "tile", "space": "shared", "index": 5, "numel": 256,
    "kernel": "blur", "line": 15, "block": [2, 0, 0], "thread": [4, 0, 0], "missing": "__syncthreads()",
    "other": {"access": "write", "block": [2, 0, 0], "thread": [5, 0, 0], "line": 12},
}  # fmt: skip


def test_race_names_both_accesses_and_the_barrier() -> None:
    """A race names the element, both threads and both lines, and between which lines a barrier belongs."""
    assert messages.report("blur", RACE, None) == (
        "blur: blur reads shared tile[5], which thread 5 of the same block wrote in line 12, with nothing to "
        "order the two (line 15, block 2, thread 4). Put __syncthreads() between line 12 and line 15."
    )


def test_race_with_a_barrier_between_needs_the_other_one() -> None:
    """Where a barrier between the lines was passed, the missing one belongs before the loop comes round."""
    text = messages.report("blur", {**RACE, "barrier_line": 13}, None)
    assert "put __syncthreads() after line 15 as well, before line 12 comes again" in text


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("__syncwarp()", "may pass on your GPU"),
        ("atomic", "atomicAdd"),
        ("order between blocks", "two launches"),
    ],
)
def test_race_advice_fits_what_is_missing(missing: str, words: str) -> None:
    """Lanes, updates and blocks each get the advice that mends them."""
    assert words in messages.report("blur", {**RACE, "line": 12, "missing": missing}, None)


@pytest.mark.parametrize(
    ("block", "words"), [([2, 0, 0], "Put __syncthreads() between"), ([3, 0, 0], "two launches")]
)
def test_a_value_written_above_its_reading_is_no_update(block: list[int], words: str) -> None:
    """Where the writer reads the value as well, what is missing still stands between the two lines."""
    other = {**RACE["other"], "block": block}
    assert words in messages.report("blur", {**RACE, "missing": "atomic", "other": other}, None)


def test_race_with_another_block_names_it() -> None:
    """A thread of another block is named with its block."""
    report = {**RACE, "other": {"access": "atomic", "block": [3, 1, 0], "thread": [0, 2, 0]}}
    assert "thread (0, 2) of block (3, 1) updated" in messages.report("blur", report, None)
