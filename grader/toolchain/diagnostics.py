"""A compiler's output as diagnostics in the learner's source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from grader.toolchain import binding
from grader.toolchain.request import Diagnostic
from grader.verdict import Place

_GNU = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?: +"
    r"(?P<kind>fatal error|error|warning|note): (?P<text>.*)$"
)
_EDG = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): "
    r"(?P<kind>catastrophic error|error|warning)(?: #\S+)?: (?P<text>.*)$"
)
_REQUIRED = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?: +(?:recursively )?required (?:from|by)"
)
_INCLUDED = re.compile(r"^(?:In file included from|\s+from) (?P<file>[^:\n]+):(?P<line>\d+)")
_LINKER = re.compile(r"undefined reference to [`'](?P<symbol>.+)'$|undefined symbol: (?P<other>.+)$")

_LINE_SHOWN = 500
UNCLOSED = "a '{' is never closed: the file ends inside it"
UNENDED = "expected ';' at the end of the source"
_HINTS = {
    r"'(?:getCurrentCUDAStream|getDefaultCUDAStream|CUDAStream)'": "c10/cuda/CUDAStream.h",
    r"'(?:CUDAGuard|OptionalCUDAGuard|CUDAStreamGuard)'": "c10/cuda/CUDAGuard.h",
    r"'C10_CUDA_(?:CHECK|KERNEL_LAUNCH_CHECK)'": "c10/cuda/CUDAException.h",
    r"'c10::cuda' has not been declared": "c10/cuda/CUDAStream.h",
    r"'at::cuda' has not been declared": "ATen/cuda/CUDAContext.h",
    r"'__half2?'|'__float2half\w*'|'__half2float\w*'": "cuda_fp16.h",
    r"'__nv_bfloat16\w*'|'__float2bfloat16\w*'": "cuda_bf16.h",
    r"'cooperative_groups'": "cooperative_groups.h",
}
"""What a message means by a name that only an include declares."""

_REWORDED = (
    (
        r"redefinition of .*TORCH_LIBRARY_static_init",
        "a second TORCH_LIBRARY for one namespace: define all its operators in one block",
    ),
    (
        r"ambiguating new declaration of '.*shared_declaration",
        "dynamic shared memory of one name has two types in this file, which nvcc refuses: declare it "
        "`extern __shared__ __align__(16) unsigned char raw[];` and cast the pointer",
    ),
    (
        r"non-constant condition for static assertion|variably modified type|variable-length array",
        "an array in device code needs a size that is known when it is compiled",
    ),
    (
        r"no match for 'operator.*operand types? (?:are|is) '(?:const )?__(?:half|nv_bfloat16)",
        "PyTorch builds extensions without operators for this type: use __hadd, __hmul, __hlt, ..., "
        "or compute in float",
    ),
)
"""What nvcc would refuse for a reason that g++'s words hide."""

Locate = Callable[[str, int, int | None], Place | None]
"""Turns a file, line and column of the compiler into a place in the learner's source, if it is one."""


@dataclass
class _Message:
    severity: str
    text: str
    file: str
    line: int
    column: int | None
    details: list[str] = field(default_factory=list)
    through: list[tuple[str, int, int | None]] = field(default_factory=list)
    """Places that led to the message: instantiations, macros, includes."""


def parse(output: str, locate: Locate) -> list[Diagnostic]:
    """Return the errors and warnings in `output`, errors first, each in the compiler's order."""
    found = [_diagnostic(message, locate) for message in _messages(output)]
    found += [Diagnostic("error", text) for text in _link_errors(output)]
    unique = {(d.severity, d.message, d.place): d for d in reversed(found)}
    kept = list(reversed(unique.values()))
    return [d for d in kept if d.severity == "error"] + [d for d in kept if d.severity != "error"]


def told(output: str, locate: Locate) -> list[Diagnostic]:
    """Return what a failed command's output says; where nothing in it is known, its last line."""
    lines = [line for line in output.split("\n") if line.strip()]
    last = lines[-1][:_LINE_SHOWN] if lines else "the compiler failed and said nothing"
    return parse(output, locate) or [Diagnostic("error", last)]


def _messages(output: str) -> Iterator[_Message]:
    current: _Message | None = None
    leading: list[tuple[str, int, int | None]] = []
    for line in output.split("\n"):
        match = _GNU.match(line) or _EDG.match(line)
        if match and match["kind"] != "note":
            if current is not None:
                yield current
            current = _message(match)
            current.through, leading = leading, []
        elif context := _REQUIRED.match(line) or _INCLUDED.match(line):
            leading.append(_spot(context))
        elif match and current is not None:
            current.details.append(line)
            if "in expansion of macro" in match["text"] or "in definition of macro" in match["text"]:
                current.through.append(_spot(match))
        elif current is not None and line.strip():
            current.details.append(line)
    if current is not None:
        yield current


def _spot(match: re.Match[str]) -> tuple[str, int, int | None]:
    column = match.groupdict().get("column")
    return match["file"], int(match["line"]), int(column) if column else None


def _message(match: re.Match[str]) -> _Message:
    severity = "warning" if match["kind"] == "warning" else "error"
    return _Message(severity, match["text"], *_spot(match))


def _diagnostic(message: _Message, locate: Locate) -> Diagnostic:
    spots = [(message.file, message.line, message.column or _caret(message.details)), *message.through]
    place = next((place for spot in spots if (place := locate(*spot)) is not None), None)
    if message.file == binding.FILE:
        return Diagnostic(message.severity, _about_binding(message.text), place, "\n".join(message.details))
    return Diagnostic(message.severity, plain(message.text), place, "\n".join(message.details))


def _caret(details: list[str]) -> int | None:
    """Return the column of the caret that nvcc draws below the source line, which it indents by two."""
    drawn = len(details) > 1 and details[1].strip() == "^"
    return len(details[1].rstrip()) - 2 if drawn else None


def plain(text: str) -> str:
    """Say it without the simulator's own names and the compiler's switches."""
    text = re.sub(r" \[-[\w=+-]+\]$", "", text)
    text = re.sub(r" \{aka '[^']*'\}", "", text)
    text = text.replace("at::Tensor", "torch::Tensor")
    text = re.sub(
        r"\b(?:::)?sim::Configured::Configured\([^)]*\)", "the launch configuration <<<...>>>", text
    )
    text = re.sub(r"<lambda\([^)]*\)>", "kernel", text)
    text = re.sub(r"(?:::)?\bsim::(?:detail::|api::)?", "", text)
    text = re.sub(r"^static assertion failed: (?=a lambda of the host|needs a GPU)", "", text)
    for pattern, words in _REWORDED:
        if re.search(pattern, text):
            return words
    undeclared = "declared" in text or "not a member" in text or "does not name" in text
    hint = (
        next((path for name, path in _HINTS.items() if re.search(name, text)), None) if undeclared else None
    )
    return f"{text}; include <{hint}>" if hint else text


def _about_binding(text: str) -> str:
    if re.match(r"expected .*';' before 'namespace'", text):
        return UNENDED
    if static := re.match(r"static assertion failed: (.*)$", text):
        return static[1]
    if undeclared := re.search(r"'(?:::)?(\w+)' (?:was not declared|has not been declared)", text):
        return f"no function named '{undeclared[1]}' is defined at file scope"
    if "at end of input" in text or text.startswith("expected") or "not allowed here" in text:
        return UNCLOSED
    if "overloaded" in text or "no matching function" in text:
        return f"a function cannot be offered to Python: {plain(text)}"
    return plain(text)


def _link_errors(output: str) -> Iterator[str]:
    for line in output.split("\n"):
        if match := _LINKER.search(line.strip()):
            symbol = match["symbol"] or match["other"]
            yield f"'{plain(symbol)}' is declared and used, but defined nowhere"
