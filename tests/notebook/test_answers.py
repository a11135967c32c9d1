"""How a cell's text says which exercise it answers."""

from __future__ import annotations

import pytest

from grader.notebook.answers import digest, is_stub, marker, without_magic


@pytest.mark.parametrize(
    ("source", "kind", "grade_id"),
    [
        ("%%cuda add_relu\nint x;", "cuda", "add_relu"),
        ("%%cuda row_scale_  \n", "cuda", "row_scale_"),
        ("\n# answer: add_relu_function\nx = 1", "python", "add_relu_function-py"),
        ("#answer:add_relu_function", "python", "add_relu_function-py"),
        ('check("add_relu")', "check", "check_add_relu"),
        ("check('side_stream_scale', untouched=\"12ab\")\n", "check", "check_side_stream_scale"),
    ],
)
def test_first_lines_declare_cells(source: str, kind: str, grade_id: str) -> None:
    """A cell's first line gives its kind and nbgrader id."""
    found = marker(source)
    assert found is not None
    assert (found.kind, found.grade_id) == (kind, grade_id)


@pytest.mark.parametrize(
    "source",
    [
        "%%cuda", "%%cuda a b\n", "\n%%cuda add_relu", "x = 1\n# answer: add_relu", 'check("a", cuda=source)',
        'report = check("a")', "%%bash\n# answer: a", "",
    ],
)  # fmt: skip
def test_other_cells_belong_to_no_exercise(source: str) -> None:
    """Scratch cells, demonstrations and prose are no answers."""
    assert marker(source) is None


def test_the_magic_line_is_no_source() -> None:
    """The compiler gets the text below the magic line, and a text without one whole."""
    assert without_magic("%%cuda a\n// one\n") == "// one\n"
    assert without_magic("// one\n") == "// one\n"


def test_a_stub_is_a_statement() -> None:
    """A stub in a comment, or of another exercise, does not make an answer untouched."""
    assert is_stub("a", 'int f() {\n    #error "a: not attempted yet"\n}')
    assert is_stub("a", 'def f():\n    raise NotImplementedError("a: not attempted yet")')
    assert not is_stub("a", '// #error "a: not attempted yet"')
    assert not is_stub("a", '#error "b: not attempted yet"')


def test_digests_ignore_what_editors_change() -> None:
    """Trailing blanks, a final newline and the magic line do not touch a cell; a letter does."""
    assert digest("%%cuda a\nint x;  \n\n") == digest("int x;")
    assert digest("int x;") != digest("int y;")


@pytest.mark.parametrize(
    ("path", "grade_id", "in_python"),
    [
        ("setup.py", "ship_it-setup_py", True),
        ("myops/__init__.py", "ship_it-myops_init_py", True),
        ("csrc/fused_kernels.cu", "ship_it-csrc_fused_kernels_cu", False),
    ],
)
def test_a_file_of_a_package_is_known_by_its_path(path: str, grade_id: str, in_python: bool) -> None:
    """A `%%package` cell says exercise and file; nbgrader takes its id, and its stub is in its language."""
    found = marker(f"%%package ship_it {path}\ntext")
    assert found is not None
    assert (found.exercise, found.kind, found.grade_id) == ("ship_it", path, grade_id)
    assert found.in_python is in_python
    assert found.first_line == f"%%package ship_it {path}"
    assert without_magic(f"{found.first_line}\ntext") == "text"


@pytest.mark.parametrize(
    "line", ["%%package ship_it", "%%package ship_it ../x", "%%package ship_it /etc/passwd"]
)
def test_a_path_that_leaves_the_package_names_no_file(line: str) -> None:
    """Only relative paths that go down are files of a package."""
    assert marker(line) is None
