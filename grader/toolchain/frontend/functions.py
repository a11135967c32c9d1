"""The host functions that a module can offer to Python, found in tree-sitter-cuda's parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from grader.toolchain.frontend.declarators import function_after
from grader.toolchain.frontend.kernels import Launch
from grader.toolchain.frontend.tokens import Tokens


@dataclass(frozen=True)
class Parameter:
    """A parameter as written: its type, and its name, empty where none is given."""

    type: str
    name: str


@dataclass(frozen=True)
class HostFunction:
    """A host function at file scope."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    line: int
    defined: bool = True

    @property
    def bindable(self) -> bool:
        """Whether Python could pass all its arguments; pointers and streams it could not."""
        return not any(re.search(r"[*]|\bcuda\w+_t\b|\.\.\.", p.type) for p in self.parameters)

    def signature(self) -> str:
        """Return the declaration as written, on one line."""
        inner = ", ".join(f"{p.type} {p.name}".strip() for p in self.parameters)
        return f"{self.result} {self.name}({inner})"


_SCOPES = frozenset(
    [
        "translation_unit",
        "linkage_specification",
        "declaration_list",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
        "ERROR",
    ]
)
_BLANKED = frozenset(("__shared__", "__global__", "__noinline__", "__forceinline__", "__host__"))
_WITH_BOUNDS = frozenset(("__align__", "__launch_bounds__", "C10_LAUNCH_BOUNDS_1", "C10_LAUNCH_BOUNDS_2"))


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cuda.language()))


def find_functions(
    source: str, tokens: Tokens, launches: list[Launch], first_line: int
) -> list[HostFunction]:
    """Return the non-static, non-template functions at file scope, definitions before mere declarations."""
    text = _without_cuda(source, tokens, launches)
    tree = _parser().parse(text.encode("utf-8", "replace"))
    device = _device_functions(tokens)
    found = [
        function
        for node in _candidates(tree.root_node)
        if (function := _function(node, text, device, first_line)) is not None
    ]
    defined = {function.name for function in found if function.defined}
    return [f for f in found if f.defined or f.name not in defined]


def _without_cuda(source: str, tokens: Tokens, launches: list[Launch]) -> str:
    """Blank out, in place, the CUDA syntax on which the grammar stumbles; all text keeps its offsets."""
    text = list("".join(char if ord(char) < 128 else "?" for char in source))
    for launch in launches:
        opening, closing = launch.stream.tokens[launch.opening], launch.stream.tokens[launch.closing]
        _blank(text, opening.start, closing.start + 3)
    for index, token in enumerate(tokens.file.tokens):
        if token.text in _BLANKED:
            _blank(text, token.start, token.end)
        elif token.text in _WITH_BOUNDS and tokens.file.text(index + 1) == "(":
            close = tokens.file.close(index + 1)
            _blank(text, token.start, tokens.file.tokens[close].end if close is not None else token.end)
    return "".join(text)


def _blank(text: list[str], start: int, end: int) -> None:
    for index in range(start, end):
        if text[index] != "\n":
            text[index] = " "


def _candidates(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type in ("function_definition", "declaration"):
            yield child
        elif child.type in _SCOPES:
            yield from _candidates(child)


def _device_functions(tokens: Tokens) -> set[int]:
    """Return where the names of kernels and device functions stand."""
    stream = tokens.file
    words = tokens.qualifiers("__global__") | tokens.qualifiers("__device__")
    marked = (i for i, token in enumerate(stream.tokens) if token.text in words)
    functions = (function_after(stream, index) for index in marked)
    return {stream.tokens[function.name].start for function in functions if function is not None}


def _function(node: Node, text: str, device: set[int], first_line: int) -> HostFunction | None:
    declarator = node.child_by_field_name("declarator")
    wrapped = ""
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        wrapped += text[declarator.start_byte]
        declarator = next((c for c in declarator.children if c.type.endswith("declarator")), None)
    if declarator is None or declarator.type != "function_declarator":
        return None
    name = declarator.child_by_field_name("declarator")
    result = node.child_by_field_name("type")
    listed = declarator.child_by_field_name("parameters")
    if name is None or name.type != "identifier" or result is None or listed is None:
        return None
    if name.start_byte in device or _is_static(node, text):
        return None
    parameters = tuple(_parameter(p, text) for p in listed.named_children if p.type.endswith("declaration"))
    return HostFunction(
        _text(name, text),
        _text(result, text) + wrapped,
        parameters,
        name.start_point.row + first_line,
        defined=node.child_by_field_name("body") is not None,
    )


def _is_static(node: Node, text: str) -> bool:
    words = {_text(child, text) for child in node.children if child.type == "storage_class_specifier"}
    return "static" in words


def _parameter(node: Node, text: str) -> Parameter:
    declarator = node.child_by_field_name("declarator")
    name = declarator
    while name is not None and name.type != "identifier":
        name = next(
            (c for c in name.children if c.type == "identifier" or c.type.endswith("declarator")), None
        )
    if name is None:
        return Parameter(_text(node, text).split("=")[0].strip(), "")
    before, after = text[node.start_byte : name.start_byte], text[name.end_byte : node.end_byte]
    after = after.split("=")[0]
    return Parameter(" ".join((before + after).split()), _text(name, text))


def _text(node: Node, text: str) -> str:
    return " ".join(text[node.start_byte : node.end_byte].split())
