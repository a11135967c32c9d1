"""A translation unit as the compiler gets it, and the way back from its places to the learner's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.toolchain import binding, headers, registration
from grader.toolchain.diagnostics import UNCLOSED
from grader.toolchain.frontend import HostFunction, Translation, translate
from grader.toolchain.request import Diagnostic
from grader.toolchain.torch_install import TorchInstall
from grader.verdict import Place

_AUTOGRAD = re.compile(r"\btorch::autograd\b|\bAutogradContext\b")
_WIDE = re.compile(
    r"\bTORCH_LIBRARY|\btorch::(?:Library|dispatch|schema)\b|\bIValue\b|\bc10::(?:List|Dict)\b"
    r"|\bindexing\b|\.index(?:_put_)?\s*\(|\bITensorListRef\b|\bglobalContext\b"
)
_SEMICOLON = re.compile(r"expected (?:'[,;]' or )?'[;,]' before ")
_FULL = re.compile(
    r"\bPYBIND11_MODULE\b|\bpybind11\b|\bpy::|\btorch::(?:nn|optim|jit|data|serialize|python)\b|<Python\.h>"
)


@dataclass(frozen=True)
class Source:
    """One of the learner's texts."""

    text: str
    file: str
    first_line: int
    translation: Translation

    @staticmethod
    def read(text: str, file: str, first_line: int) -> Source:
        """Translate `text`."""
        return Source(text, file, first_line, translate(text, first_line))

    def locate(self, file: str, line: int, column: int | None) -> Place | None:
        """Return the learner's place for one that the compiler names; None if it lies elsewhere."""
        if file == binding.FILE:
            return self.end()
        if file != self.file:
            return None
        generated = self.translation.text.split("\n")
        row = line - self.first_line
        if not 0 <= row < len(generated):
            return self.end()
        if column is None:
            return self.place(line)
        characters = len(generated[row].encode()[: column - 1].decode("utf-8", "ignore"))
        old_row, old_column = self.translation.edited.original(row + 1, characters + 1)
        return self.place(old_row + self.first_line - 1, old_column)

    def place(self, line: int, column: int | None = None) -> Place:
        """Return a place with its source line."""
        lines = self.text.split("\n")
        row = line - self.first_line
        return Place(line, column, self.file, lines[row].rstrip("\r") if 0 <= row < len(lines) else "")

    def end(self) -> Place:
        """Return the last line that is not blank."""
        lines = self.text.rstrip().split("\n")
        return self.place(self.first_line + len(lines) - 1)

    def refined(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return the diagnostic at the place where a learner would mend it."""
        brace = self.translation.unclosed
        if diagnostic.message == UNCLOSED and brace is not None:
            start = self.text.rfind("\n", 0, brace.start) + 1
            return replace(diagnostic, place=self.place(brace.line, brace.start - start + 1))
        place = diagnostic.place
        if place is None or place.file != self.file or not _SEMICOLON.match(diagnostic.message):
            return diagnostic
        end = self._end_of_previous(place)
        message = "expected ';' at the end of this line" if end != place else diagnostic.message
        return replace(diagnostic, message=message, place=end)

    def _end_of_previous(self, place: Place) -> Place:
        """Return the end of the line before, if nothing stands before `place` in its own."""
        lines = self.text.split("\n")
        row = place.line - self.first_line
        if place.text[: (place.column or 1) - 1].strip():
            return place
        while row > 0:
            row -= 1
            code = lines[row].split("//")[0].rstrip()
            if code:
                return self.place(row + self.first_line, len(code) + 1)
        return place

    def faults(self, flags: list[str]) -> list[Diagnostic]:
        """Return what the front end could not read, or nvcc would refuse with these flags, in order."""
        found = []
        for fault in self.translation.faults:
            if fault.flag and extended_lambda(flags):
                continue
            column = fault.position - self.text.rfind("\n", 0, fault.position)
            found.append(Diagnostic("error", fault.message, self.place(fault.token.line, column)))
        if _TAKEN_BACK.search(_CONTINUED.sub("", self.text)):
            found.append(Diagnostic("error", "no_sanitize may not be defined or undefined here"))
        return found


def extended_lambda(flags: list[str]) -> bool:
    """Whether nvcc's flags allow lambdas with `__device__`."""
    return any("extended-lambda" in flag for flag in flags)


_SPELLINGS = re.compile(r"sanit|##|%:%:|\\[ \t]*\r?\n")
_CONTINUED = re.compile(r"\\[ \t]*\r?\n")
_TAKEN_BACK = re.compile(r"(#|%:)\s*(un)?def(ine)?\s+_*no_sanitize")
_PLACES = re.compile(r"attribute|\[\[|<:|[pP]ragma")
_UNWATCHED = [
    *(f"#define {name}(...) unused" for name in ("no_sanitize", "__no_sanitize__")),
    *(f"#define {name} unused" for name in ("no_sanitize_thread", "__no_sanitize_thread__")),
]
"""The attributes that would have a function compiled without what watches memory mean nothing in a unit."""


def may_go_unwatched(text: str) -> bool:
    """Whether a text may ask for such an attribute, in whatever spelling."""
    return bool(_SPELLINGS.search(text) and _PLACES.search(text))


EXTENDED_LAMBDA = "namespace sim { template <> inline constexpr bool lambdas_allowed<void> = true; }"
"""What a unit with such lambdas says to the simulator's headers."""


def first_mode(text: str) -> str:
    """Return the least headers that can serve a text, by the names that it uses."""
    if _FULL.search(text):
        return "full"
    return "wide" if _WIDE.search(text) or _AUTOGRAD.search(text) else "lean"


def operators(source: Source, install: TorchInstall) -> tuple[list[str], bool]:
    """Return the operators whose own headers the source needs, and whether one of them takes a list."""
    found, lists = [], False
    for name in sorted(source.translation.free_names - set(headers.COMMON)):
        path = install.include / "ATen/ops" / f"{name}.h"
        if path.exists():
            found.append(name)
            lists = lists or "ITensorListRef" in path.read_text()
    return found, lists


_LAUNCH_BOUNDS = [
    f"#undef C10_LAUNCH_BOUNDS_{n}\n#define C10_LAUNCH_BOUNDS_{n}{'(...)' if n else ''}" for n in range(3)
]
"""PyTorch's headers, precompiled for the host, define these for CUDA's compiler only."""


def unit(
    source: Source,
    paths: list[str],
    functions: list[HostFunction],
    required: bool,
    symbol: str,
    flags: list[str],
) -> str:
    """Return the whole text of a unit."""
    registers = registration.is_named(source.text)
    text = shipped(source, paths, flags, [registration.DEFERRED] if registers else [])
    tail = binding.table(functions, required, symbol)
    tail += registration.table(symbol) if registers else ""
    return "\n".join([text, f'#line 1 "{binding.FILE}"', tail])


def shipped(source: Source, paths: list[str], flags: list[str], head: Sequence[str] = ()) -> str:
    """Return a unit that binds nothing itself, as a file of a package is compiled."""
    lines = [f"#include <{path}>" for path in paths]
    lines += [
        *head,
        "#define __CUDACC__ 1",
        "#define __NVCC__ 1",
        *_LAUNCH_BOUNDS,
        *([EXTENDED_LAMBDA] if extended_lambda(flags) else []),
        *(_UNWATCHED if may_go_unwatched(source.text) else []),
        f'#line {source.first_line} "{_escaped(source.file)}"',
    ]
    return "\n".join([*lines, source.translation.text])


def includes(text: str, names: list[str], mode: str, directory: Path) -> list[str]:
    """Return the headers of the named operators, their `torch::` factories, and autograd if it is named."""
    if mode == "full":
        return []
    factories = directory / "generated/grader/factories"
    torch_names = [name for name in names if (factories / f"{name}.h").exists()]
    autograd = ["torch/csrc/autograd/custom_function.h"] if mode == "wide" and _AUTOGRAD.search(text) else []
    return (
        autograd
        + [f"ATen/ops/{name}.h" for name in names]
        + [f"grader/factories/{name}.h" for name in torch_names]
    )


def _escaped(file: str) -> str:
    return file.replace("\\", "\\\\").replace('"', '\\"')
