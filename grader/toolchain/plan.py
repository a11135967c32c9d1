"""What is to be compiled: a learner's units in whichever headers serve, and the name of the result."""

from __future__ import annotations

import json
import os
from pathlib import Path

from grader.toolchain import cache, growing, units
from grader.toolchain.frontend import HostFunction
from grader.toolchain.loading import SYMBOLS
from grader.toolchain.request import BuildRequest
from grader.toolchain.runtime import Runtime
from grader.toolchain.units import Source
from grader.verdict import Place

_DECIDING = ("building.py", "plan.py", "units.py")
"""The modules whose own text decides what a compiler is given."""


class Plan:
    """A request's units, what each of them offers to Python, and the name of it all."""

    def __init__(self, request: BuildRequest, sources: list[Source], found: Runtime) -> None:
        """Find the least headers that may serve every unit."""
        self.request, self.sources, self.runtime = request, sources, found
        self.mode = max((units.first_mode(source.text) for source in sources), key=growing.MODES.index)
        self.commands: list[str] = []
        self.operators: dict[str, list[str]] = {}
        for source in sources:
            names, lists = units.operators(source, found.install)
            self.operators[source.file] = names
            if lists and self.mode == "lean":
                self.mode = "wide"

    def key(self) -> str:
        """Return the name of everything that decides the result."""
        request = self.request
        named = "TORCH_EXTENSION_NAME" in request.cuda + request.cpp
        parts = [self.runtime.key, *(Path(__file__).with_name(name).read_text() for name in _DECIDING)]
        parts += [
            request.name if named else "",
            json.dumps(request.functions),
            str(request.no_implicit_headers),
            os.environ.get("GRADER_COMPILE_SECONDS", ""),
        ]
        parts += [json.dumps([request.extra_cflags, request.extra_ldflags, request.extra_include_paths])]
        parts += [self.unit(source, "full") + source.file for source in self.sources]
        return cache.key(parts)

    def bound(self, source: Source) -> list[HostFunction]:
        """Return the functions that a unit offers to Python."""
        wanted = self.request.functions
        if wanted is None:
            return source.translation.offered
        functions = {f.name: f for f in source.translation.defined}
        others = (other for other in self.sources if other is not source)
        elsewhere = {f.name for other in others for f in other.translation.defined}
        last = source is self.sources[-1]
        # A function that no parse shows, as one that a macro makes, is for the compiler to find.
        return [
            functions.get(n) or HostFunction(n, "", (), 0)
            for n in wanted
            if n in functions or (last and n not in elsewhere)
        ]

    @property
    def binds_itself(self) -> bool:
        """Whether the source has a module of pybind11's of its own."""
        return any("PYBIND11_MODULE" in source.translation.names for source in self.sources)

    def names(self) -> list[str]:
        """Return the names of all functions that the module offers."""
        if self.binds_itself:
            return list(self.request.functions or [])
        return [f.name for source in self.sources for f in self.bound(source)]

    def unit(self, source: Source, mode: str) -> str:
        """Return the text of one unit."""
        paths = units.includes(source.text, self.operators[source.file], mode, self.runtime.headers)
        functions = [] if self.binds_itself else self.bound(source)
        symbol = SYMBOLS[self.sources.index(source)]
        flags = self.request.extra_cuda_cflags
        return units.unit(source, paths, functions, self.request.functions is not None, symbol, flags)

    def locate(self, file: str, line: int, column: int | None) -> Place | None:
        """Return the learner's place for one of the compiler's."""
        spots = (source.locate(file, line, column) for source in reversed(self.sources))
        return next((spot for spot in spots if spot is not None), None)
