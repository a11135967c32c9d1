"""A compiler's message comes back at the learner's line and column, the first error first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.toolchain import BuildResult
from grader.toolchain.diagnostics import parse
from grader.toolchain.errors import CompileError
from grader.toolchain.request import Diagnostic
from grader.verdict import Place

SOURCE = """#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void k(float* a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1.f; }
torch::Tensor fill(torch::Tensor x) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    k<<<1, 32, 0, stream>>>(x.data_ptr<float>(), x.numel());
    return x;
}
"""

WRONG = {
    "undeclared": ("a[i] = 1.f", "/* é */ a[i] = wrong", (4, "wrong", "'wrong' was not declared")),
    "semicolon": ("CUDAStream();", "CUDAStream()", (6, "", "expected ';' at the end of this line")),
    "arguments": (", x.numel())", ")", (7, "(x.data", "too few arguments to function 'void k(float*, int)'")),
    "include": ("#include <c10/cuda/CUDAStream.h>", "", (6, None, "include <c10/cuda/CUDAStream.h>")),
    "header": ("c10/cuda/CUDAStream.h", "nothere.h", (3, None, "nothere.h: No such file or directory")),
    "member": ("x.numel()", "x.numl()", (7, "numl", "has no member named 'numl'")),
    "launch": ("k<<<1, 32, 0, stream>>>(", "k(", (7, "k(", "called without a launch configuration")),
    "brace": ("return x;\n}", "return x;\n", (5, "{", "a '{' is never closed")),
    "last semicolon": ("return x;\n}", "return x;\n}\nint last = 1", (10, None, "expected ';' at the end")),
    "stub": ("#include <c10", '#error "not attempted yet"\n#include <c10', (3, "error", "not attempted yet")),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), WRONG.values(), ids=WRONG)
def test_first_error_stands_where_the_learner_mends_it(
    built: Callable[..., BuildResult], old: str, new: str, expected: tuple[int, str | None, str]
) -> None:
    """Line as the editor shows it, column of the word, message without the simulator's own names."""
    line, word, message = expected
    assert old in SOURCE
    result = built(SOURCE.replace(old, new), first_line=2, functions=["fill"])
    assert not result.ok
    first = result.diagnostics[0]
    assert message in first.message
    assert "sim::" not in first.message
    assert first.place is not None
    assert first.place.line == line
    if word is not None:
        assert first.place.text[(first.place.column or 0) - 1 :].startswith(word)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("  \n", "the source is empty"),
        (
            "int x;\n",
            "no function named 'fill' is defined at file scope; the source defines no host function",
        ),
        (
            SOURCE.replace("fill", "fil"),
            "the source defines: fil; did you mean 'fill'?".replace("'fill'", "'fil'"),
        ),
        (SOURCE.replace("return x;", "return helper(x);") + "// no body", "'helper' was not declared"),
        (
            "at::Tensor helper(at::Tensor);\n" + SOURCE.replace("return x;", "return helper(x);"),
            "defined nowhere",
        ),
        (SOURCE + "float* raw(float* x) { return x; }\n", ""),
    ],
)
def test_what_is_lacking_is_named(built: Callable[..., BuildResult], source: str, message: str) -> None:
    """A source without the function, or with a function that nothing defines, is told so by name."""
    result = built(source, functions=["fill"])
    assert result.ok is (message == "")
    assert message == "" or message in result.diagnostics[0].message


def test_needs_a_gpu(built: Callable[..., BuildResult]) -> None:
    """What the simulator lacks is no error of the learner's: it is listed with its line."""
    result = built("#include <mma.h>\n" + SOURCE, first_line=2)
    assert not result.ok
    assert result.missing == [{"construct": "tensor cores (mma.h)", "line": 2}]


def test_reads_nvccs_messages() -> None:
    """nvcc's form gives line, and the column from its caret."""
    output = (
        'cell(4): error: expected a ";"\n      if (i < n) a[i] = 1;\n      ^\n\n'
        "cell(7): error: too many arguments in function call\n  void h() { k(1); }\n             ^\n"
    )
    found = parse(output, lambda file, line, column: Place(line, column, file))
    assert [(d.message, d.place and (d.place.line, d.place.column)) for d in found] == [
        ('expected a ";"', (4, 5)),
        ("too many arguments in function call", (7, 12)),
    ]


def test_an_error_in_a_header_leads_to_the_line_that_used_it() -> None:
    """The learner's line is found behind an instantiation; the template's inside stays in the details."""
    output = (
        "/include/c10/util/StringUtil.h: In instantiation of 'f':\n"
        "cell:9:3:   required from here\n"
        "/include/c10/util/StringUtil.h:70:8: error: no match for 'operator<<'\n"
        "/include/c10/util/StringUtil.h:60:8: note: candidate: 'x'\n"
    )
    (found,) = parse(output, lambda file, line, column: Place(line, column, file) if file == "cell" else None)
    assert found.place == Place(9, 3, "cell")
    assert found.message == "no match for 'operator<<'"
    assert "candidate" in found.details


def test_compile_error_shows_line_and_caret() -> None:
    """The exception's text holds place, message, source line and caret, and how to see the rest."""
    place = Place(3, 5, "cuda_sources", "    wrong;")
    text = str(CompileError([Diagnostic("error", "no such thing", place)] * 2))
    assert text.startswith(
        "cuda_sources, line 3, column 5: no such thing\n        wrong;\n        ^\n(1 more error"
    )
    assert "verbose=True" in text
