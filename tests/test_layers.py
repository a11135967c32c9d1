"""Imports go one way: source text -> toolchain -> module -> judge -> verdict -> card."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = (
    ("grader.verdict",),
    ("grader.simulator",),
    ("grader.toolchain",),
    (
        "grader.judge.protocol",
        "grader.judge.worker",
        "grader.judge.reported",
        "grader.judge.observation",
        "grader.judge.faults",
    ),
    (
        "grader.exercise",
        "grader.inductor",
        "grader.exercises",
        "grader.checks",
        "grader.judge.messages",
        "grader.judge.races",
        "grader.judge.several",
    ),
    ("grader.judge",),
    ("grader.notebook",),
    ("grader.nbgrader",),
    ("grader.agreement",),
    ("grader.mutation",),
    ("grader.cli",),
    ("grader.demo",),
    ("grader",),
)
# Without a path, `load_runtime()` asks the toolchain to build the simulator's own C++, and only then.
ALLOWED = {("grader.simulator", "grader.toolchain.runtime")}
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
MODULES = sorted((ROOT / "grader").rglob("*.py"))


def _rank(module: str) -> int:
    """Return the place of the longest known prefix; a module of no layer counts as the package itself."""
    parts = module.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(RANKS[prefix] for prefix in prefixes if prefix in RANKS)


def _name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of the package that are imported anywhere in the tree, except for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "grader")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "grader":
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if _is_module(name) else node.module for name in names)
        elif not _only_for_types(node):
            yield from _imported(node)


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_imports_point_left(module: Path) -> None:
    """A module imports only from its own layer and from those before it."""
    importer = _name(module)
    wrong = {
        (importer, name) for name in _imported(ast.parse(module.read_text())) if _rank(name) > _rank(importer)
    }
    assert wrong - ALLOWED == set()


def test_an_import_to_the_right_is_seen() -> None:
    """A toolchain that imported the judge, even inside a function, would be found."""
    tree = ast.parse("def f():\n    from grader.judge import judge\n")
    assert [_rank(name) > _rank("grader.toolchain.build") for name in _imported(tree)] == [True]


def test_every_module_has_a_layer() -> None:
    """No module stands outside the order: only the package's own `__init__` is last."""
    last = len(LAYERS) - 1
    assert [_name(module) for module in MODULES if _rank(_name(module)) == last] == ["grader"]
