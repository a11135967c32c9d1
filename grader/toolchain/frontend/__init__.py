"""CUDA source text to C++ text that means the same on the simulator, line for line."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.toolchain.frontend import architecture, arrays, calls, rules
from grader.toolchain.frontend.declarators import function_after
from grader.toolchain.frontend.edits import Edited, Edits
from grader.toolchain.frontend.functions import HostFunction, Parameter, find_functions
from grader.toolchain.frontend.kernels import (
    Fault,
    Kernel,
    Launch,
    find_kernels,
    find_launches,
    rewrite_kernel,
    rewrite_launch,
    unended,
)
from grader.toolchain.frontend.missing import Missing, find_missing
from grader.toolchain.frontend.outline import Sides, items
from grader.toolchain.frontend.storage import (
    Declaration,
    dynamic_names,
    dynamic_shared,
    find_declarations,
    rewrite_declaration,
)
from grader.toolchain.frontend.tokens import Stream, Token, Tokens, scan

__all__ = ["Fault", "HostFunction", "Kernel", "Missing", "Parameter", "Translation", "translate"]


@dataclass(frozen=True)
class Translation:
    """The C++ text with everything that was found on the way."""

    edited: Edited
    kernels: list[Kernel] = field(default_factory=list)
    functions: list[HostFunction] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    names: frozenset[str] = frozenset()
    free_names: frozenset[str] = frozenset()
    """The names that are not only members: what follows no `.` or `->`."""
    pybind_line: int | None = None
    """Where the source makes a Python module of its own."""
    unclosed: Token | None = None
    """The last brace that nothing closes; a compiler says only that the file ended."""

    @property
    def text(self) -> str:
        """The C++ text: as many lines as the source, each in its place."""
        return self.edited.text

    @property
    def defined(self) -> list[HostFunction]:
        """The host functions that have a body here, overloads included."""
        return [function for function in self.functions if function.defined]

    @property
    def offered(self) -> list[HostFunction]:
        """Those that Python can call without naming types: not overloaded, and not the entry of a program."""
        names = [function.name for function in self.defined]
        return [
            function
            for function in self.defined
            if function.bindable and function.name != "main" and names.count(function.name) == 1
        ]


def translate(source: str, first_line: int = 1) -> Translation:
    """Rewrite `source`; what cannot be read is left as it stands, and named in `faults`.

    `first_line` is what the learner's editor shows as the number of the first line.
    """
    tokens = scan(source, first_line)
    edits = Edits(source)
    kernels: list[Kernel] = []
    launches: list[Launch] = []
    faults: list[Fault] = []
    qualifiers = tokens.qualifiers("__global__")
    for stream in tokens.streams():
        found, unread = find_launches(stream)
        launches += found
        faults += [*unread, *(fault for launch in found if (fault := unended(launch)) is not None)]
        own = find_kernels(stream, qualifiers)
        kernels += own
        _rewrite_stream(stream, own, found, edits)
    faults += [_not_void(kernel) for kernel in kernels if not kernel.returns_void]
    architecture.decide(source, tokens, edits)
    calls.keep_types(tokens, edits)
    sides = Sides.of(tokens)
    device = [item for item in items(tokens.file) if sides.side(item) in ("global", "device")]
    arrays.require_constant_sizes(device, edits)
    declarations = [d for stream in tokens.streams() for d in find_declarations(stream)]
    faults += rules.find_faults(tokens, kernels, launches, declarations)
    functions = find_functions(source, tokens, launches, first_line)
    faults += _unconfigured(tokens, kernels, functions)
    faults.sort(key=lambda fault: fault.token.start)
    missing = find_missing(tokens, kernels, launches)
    return Translation(
        edits.apply(),
        kernels,
        functions,
        missing,
        faults,
        frozenset(tokens.names()),
        _free(tokens),
        next((token.line for token in tokens.file.tokens if token.text == "PYBIND11_MODULE"), None),
        tokens.file.unclosed(),
    )


def _free(tokens: Tokens) -> frozenset[str]:
    return frozenset(
        token.text
        for stream in tokens.streams()
        for index, token in enumerate(stream.tokens)
        if token.kind == "name" and stream.text(index - 1) not in (".", "->")
    )


def _rewrite_stream(stream: Stream, kernels: list[Kernel], launches: list[Launch], edits: Edits) -> None:
    declarations = find_declarations(stream)
    at_file_scope = [d for d in declarations if _is_dynamic(d) and not _inside_function(d)]
    for kernel in kernels:
        rewrite_kernel(kernel, edits, _shared_prologue(kernel.stream, kernel.function.body, at_file_scope))
    for launch in launches:
        rewrite_launch(launch, edits)
    for declaration in declarations:
        if declaration in at_file_scope:
            _remove(declaration, edits)
        else:
            rewrite_declaration(declaration, edits)
    _rewrite_device_functions(stream, at_file_scope, edits)
    for token in stream.tokens:
        # libstdc++ writes __noinline__ inside attributes, so it cannot be a macro.
        if token.text == "__noinline__":
            edits.replace(token.start, token.end, "__attribute__((noinline))")


def _is_dynamic(declaration: Declaration) -> bool:
    return declaration.has("__shared__") and declaration.has("extern")


def _inside_function(declaration: Declaration) -> bool:
    stream, depth = declaration.stream, 0
    if stream.macro is not None:
        return True
    for index in range(declaration.start):
        if (
            stream.text(index) == "{"
            and stream.text(index - 1) not in ("namespace",)
            and not _names_scope(stream, index)
        ):
            depth += 1
        elif stream.text(index) == "}" and depth:
            depth -= 1
    return depth > 0


def _names_scope(stream: Stream, index: int) -> bool:
    """Whether the brace at `index` opens a namespace or `extern "C"`."""
    return stream.text(index - 2) == "namespace" or stream.text(index - 2) == "extern"


def _remove(declaration: Declaration, edits: Edits) -> None:
    tokens = declaration.stream.tokens
    edits.replace(tokens[declaration.start].start, tokens[declaration.end].end)


def _shared_prologue(stream: Stream, body: int | None, declarations: list[Declaration]) -> str:
    """Return the statements that give a body the dynamic shared memory declared at file scope."""
    end = stream.close(body) if body is not None else None
    if body is None or end is None:
        return ""
    used = {stream.text(i) for i in range(body, end)}
    return "".join(f" {dynamic_shared(d)}" for d in declarations if used & set(dynamic_names(d)))


def _rewrite_device_functions(stream: Stream, declarations: list[Declaration], edits: Edits) -> None:
    if not declarations:
        return
    for index, token in enumerate(stream.tokens):
        function = function_after(stream, index) if token.text == "__device__" else None
        if function is not None and function.body is not None:
            edits.insert(
                stream.tokens[function.body].end, _shared_prologue(stream, function.body, declarations)
            )


def _not_void(kernel: Kernel) -> Fault:
    token = kernel.stream.tokens[kernel.function.name]
    return Fault(
        token, f"kernel '{kernel.name}' must return void: declare it `__global__ void {kernel.name}(...)`"
    )


def _unconfigured(tokens: Tokens, kernels: list[Kernel], functions: list[HostFunction]) -> list[Fault]:
    """Find statements that call a kernel as if it were a function, which nvcc rejects."""
    hosts = {function.name for function in functions}
    names = {kernel.name for kernel in kernels if kernel.stream.macro is None} - hosts
    stream = tokens.file
    return [
        Fault(
            token,
            f"kernel '{token.text}' is called without a launch configuration: "
            f"write {token.text}<<<blocks, threads, 0, stream>>>(...)",
        )
        for index, token in enumerate(stream.tokens)
        if token.text in names and stream.text(index - 1) in (";", "{", "}") and _is_call(stream, index)
    ]


def _is_call(stream: Stream, index: int) -> bool:
    close = stream.close(index + 1) if stream.text(index + 1) == "(" else None
    return close is not None and stream.text(close + 1) == ";"
