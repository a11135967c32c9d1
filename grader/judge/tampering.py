"""What a Python answer says that serves no exercise, but changes the worker that it runs in.

Values cannot be forged: the judge compares them in another process.  How they came about is told by the
worker, and an answer in Python could change that story.  So what only serves this is refused unrun.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_MODULES = frozenset({"ctypes", "_ctypes", "importlib", "sitecustomize"})
_NAMES = frozenset(
    {
        "__code__", "__globals__", "__closure__", "__subclasses__", "__builtins__", "__bases__", "__mro__",
        "_getframe", "settrace", "setprofile", "meta_path", "addaudithook", "f_globals", "f_locals", "f_back",
        "tb_frame", "gi_frame", "get_objects", "get_referrers", "get_referents", 
        "_enable_record_function",
    }
)  # fmt: skip
_PUBLIC = frozenset({"device", "load_inline", "check", "hint"})
_SETTINGS = frozenset({"allow_tf32", "benchmark", "deterministic", "enabled", "fp32_precision"})
"""Switches below `torch.backends` that programs set and that tell the judge nothing false."""


def tampering(text: str | None) -> str | None:
    """Return what an answer may not say, with its line; None for an answer, and for what is no Python."""
    try:
        tree = ast.parse(text or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    modules = _imported(tree) | {"torch", "kernels"}
    for node in ast.walk(tree):
        found = next(_faults(node, modules), None)
        if found is not None:
            return (
                f"An answer must leave the process that it runs in alone: {found} (line {node.lineno}). "  # type: ignore[attr-defined]
                "Take that out, and judge it again."
            )
    return None


def _imported(tree: ast.AST) -> set[str]:
    """Return the names that stand for modules."""
    return {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def _faults(node: ast.AST, modules: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (_of_import(alias.name) for alias in node.names if _is_foreign(alias.name))
    elif isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        if _is_foreign(node.module or "") and not (node.module == "grader" and names <= _PUBLIC):
            yield _of_import(node.module or "")
    elif isinstance(node, ast.Attribute):
        yield from _of_attribute(node, modules)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield f"{node.id} is not for answers"
    elif isinstance(node, ast.Call):
        yield from _of_call(node, modules)


def _is_foreign(name: str) -> bool:
    return name.split(".")[0] in _MODULES or name.split(".")[0] == "grader"


def _of_import(name: str) -> str:
    return f"it imports {name}"


def _of_attribute(node: ast.Attribute, modules: set[str]) -> Iterator[str]:
    if node.attr in _NAMES or node.attr in _MODULES:
        yield f"{node.attr} is not for answers"
    elif node.attr == "modules" and _root(node) == "sys":
        yield "sys.modules is not for answers"
    elif isinstance(node.ctx, (ast.Store, ast.Del)) and _root(node) in modules and not _is_setting(node):
        yield f"it changes {ast.unparse(node)}"


def _is_setting(node: ast.Attribute) -> bool:
    return node.attr in _SETTINGS and ast.unparse(node).startswith("torch.backends.")


def _of_call(node: ast.Call, modules: set[str]) -> Iterator[str]:
    changes = isinstance(node.func, ast.Name) and node.func.id in {"setattr", "delattr"}
    if changes and node.args and _root(node.args[0]) in modules:
        yield f"it changes {ast.unparse(node.args[0])}"
    if isinstance(node.func, ast.Name) and node.func.id == "__import__":
        yield "it imports by __import__"


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
