"""What nvcc refuses and a C++ compiler would not: who may call whom, and what device code may hold."""

from __future__ import annotations

from collections.abc import Iterator

from grader.toolchain.frontend import members, misplaced
from grader.toolchain.frontend.declarators import parameters
from grader.toolchain.frontend.kernels import Fault, Kernel, Launch
from grader.toolchain.frontend.outline import Item, Sides, items
from grader.toolchain.frontend.storage import Declaration
from grader.toolchain.frontend.tokens import Stream, Token, Tokens

EXTENDED_LAMBDA = "--extended-lambda"

_WORD = {"global": "__global__", "device": "__device__", "host": "__host__"}
_NOT_DEVICE = {
    "try": "device code does not support exception handling",
    "throw": "device code does not support exception handling",
    "typeid": "typeid is not allowed in device code",
    "TORCH_CHECK": "TORCH_CHECK calls a __host__ function: use assert in a kernel, and check on the host",
    "AT_ERROR": "AT_ERROR calls a __host__ function: use assert in a kernel",
}
_NOT_DEVICE_STD = frozenset(
    [
        "vector",
        "string",
        "map",
        "unordered_map",
        "set",
        "unordered_set",
        "list",
        "deque",
        "queue",
        "stack",
        "function",
        "shared_ptr",
        "unique_ptr",
        "make_shared",
        "make_unique",
        "cout",
        "cerr",
        "endl",
        "sort",
        "stable_sort",
        "thread",
        "mutex",
        "runtime_error",
        "to_string",
        "random_device",
        "mt19937",
    ]
)
_NO_TYPE = frozenset(
    [
        "return",
        "else",
        "do",
        "case",
        "co_return",
        "throw",
        "goto",
        "new",
        "delete",
        "sizeof",
        "typeid",
        "not",
        "and",
        "or",
        "if",
        "while",
    ]
)


def find_faults(
    tokens: Tokens, kernels: list[Kernel], launches: list[Launch], declarations: list[Declaration]
) -> list[Fault]:
    """Return what nvcc would refuse."""
    sides, found = Sides.of(tokens), list(items(tokens.file))
    faults = [*_members(kernels), *_initialised(declarations), *_lambdas(tokens.file)]
    faults += [fault for kernel in kernels if (fault := _ascii(kernel)) is not None]
    known = list(members.classes(found))
    methods = list(members.of_device(known, sides))
    faults += _calls(found, sides)
    faults += misplaced.find(found, launches, declarations, sides)
    for item in (*found, *methods):
        if item.function is not None and sides.side(item) in ("global", "device"):
            faults += _refused(item)
            faults += _host_variables(item, found)
            faults += members.host_calls(item, known, sides)
    faults += _functors(found, launches, sides)
    return faults


def _members(kernels: list[Kernel]) -> Iterator[Fault]:
    for kernel in kernels:
        if kernel.stream.macro is None and _in_class(kernel.stream, kernel.function.name):
            yield Fault(
                kernel.stream.tokens[kernel.function.name],
                f"kernel '{kernel.name}' is a member of a class, which CUDA does not allow: move it out",
            )


def _in_class(stream: Stream, index: int) -> bool:
    """Whether the innermost brace around `index` is a class's."""
    depth = 0
    while index > 0:
        index -= 1
        text = stream.text(index)
        if text == "}":
            depth += 1
        elif text == "{":
            depth -= 1
            if depth < 0:
                return _opens_class(stream, index)
    return False


def _opens_class(stream: Stream, brace: int) -> bool:
    start = brace
    while start and stream.text(start - 1) not in (";", "{", "}", ")"):
        start -= 1
    words = {stream.text(i) for i in range(start, brace)}
    return bool(words & {"struct", "class", "union"}) and "enum" not in words


def _initialised(declarations: list[Declaration]) -> Iterator[Fault]:
    for declaration in declarations:
        if not declaration.has("__shared__"):
            continue
        for declarator in declaration.declarators():
            at = next((i for i in declarator if declaration.stream.text(i) in ("=", "{")), None)
            if at is not None:
                yield Fault(
                    declaration.stream.tokens[at],
                    "a __shared__ variable cannot be initialised where it is declared: let one thread write "
                    "it, then __syncthreads()",
                )


def _lambdas(stream: Stream) -> Iterator[Fault]:
    for index, token in enumerate(stream.tokens):
        if token.text == "]" and stream.text(index + 1) in ("__device__", "__host__"):
            yield Fault(
                stream.tokens[index + 1],
                "a lambda with __device__ needs nvcc's flag --extended-lambda, which PyTorch does not set: "
                "write a struct with a __device__ operator(), or pass "
                "extra_cuda_cflags=['--extended-lambda'] to load_inline",
                flag=EXTENDED_LAMBDA,
            )


def _ascii(kernel: Kernel) -> Fault | None:
    if kernel.name.isascii():
        return None
    token = kernel.stream.tokens[kernel.function.name]
    return Fault(token, f"the name of a kernel must be of ASCII letters: '{kernel.name}' is not")


def _calls(found: list[Item], sides: Sides) -> Iterator[Fault]:
    """Find calls across the sides, of functions whose every declaration stands on the wrong one."""
    homes: dict[str, set[str]] = {}
    for item in found:
        if item.name:
            homes.setdefault(item.name, set()).add(sides.side(item))
    only = {name: next(iter(home)) for name, home in homes.items() if len(home) == 1}
    for item in found:
        side = sides.side(item)
        foreign = {"global": "host", "device": "host", "host": "device"}.get(side)
        callees = {name for name, home in only.items() if home == foreign}
        for token in _called(item, callees):
            if side == "host" and _may_be_torchs(token.text):
                continue
            mend = "declare it __device__" if foreign == "host" else "declare it __host__ __device__"
            yield Fault(
                token,
                f"calling a {_WORD[str(foreign)]} function ('{token.text}') from a {_WORD[side]} function "
                f"('{item.name}') is not allowed: {mend}",
            )


def _called(item: Item, names: set[str]) -> Iterator[Token]:
    stream, own = item.stream, _own_names(item, names)
    for index in item.body():
        token = stream.tokens[index]
        if token.text not in names or token.text in own or stream.text(index - 1) in (".", "->", "::"):
            continue
        after = index + 1
        if stream.text(after) == "<":
            after = next((i for i in range(after, item.end) if stream.text(i) in ("(", ";", "{")), after)
        if stream.text(after) == "(":
            yield token


def _own_names(item: Item, names: set[str]) -> set[str]:
    """Return the names that the function itself declares, as a variable or parameter."""
    function = item.function
    own = {name for name, _ in parameters(item.stream, function)} if function else set()
    for index in item.body():
        token, before = item.stream.tokens[index], item.stream.tokens[index - 1]
        typed = (before.kind == "name" and before.text not in _NO_TYPE) or before.text in ("*", "&", ">")
        if token.text in names and typed and item.stream.text(index + 1) not in ("(", "<"):
            own.add(token.text)
    return own


def _may_be_torchs(name: str) -> bool:
    """Whether PyTorch has an operator of that name, which a call with a tensor would find."""
    from grader.toolchain.torch_install import installed

    return (installed().include / "ATen/ops" / f"{name}.h").exists()


def _refused(item: Item) -> Iterator[Fault]:
    stream = item.stream
    for index in item.body():
        token = stream.tokens[index]
        if token.text in _NOT_DEVICE:
            yield Fault(token, _NOT_DEVICE[token.text])
        elif (
            token.text in _NOT_DEVICE_STD
            and stream.text(index - 1) == "::"
            and stream.text(index - 2) == "std"
        ):
            yield Fault(token, f"std::{token.text} is for the host: device code cannot use it")


def _host_variables(item: Item, found: list[Item]) -> Iterator[Fault]:
    """Find uses of variables that only the host has."""
    names = {name: why for other in found if other.function is None for name, why in _host_variable(other)}
    if not names:
        return
    own = _own_names(item, set(names))
    for index in item.body():
        token, stream = item.stream.tokens[index], item.stream
        if token.text not in names or token.text in own or stream.text(index - 1) in (".", "->", "::"):
            continue
        if _constant_use(stream, index):
            continue
        yield Fault(
            token,
            f"'{token.text}' is a variable of the host, which device code cannot read: {names[token.text]}",
        )
        return


def _constant_use(stream: Stream, index: int) -> bool:
    """Whether the statement needs a constant, which the compiler computes."""
    while index and stream.text(index - 1) not in (";", "{", "}"):
        index -= 1
        if stream.text(index) in ("sizeof", "constexpr", "static_assert", "decltype", "<"):
            return True
    return False


_NO_VARIABLE = frozenset(
    [
        "using",
        "typedef",
        "template",
        "struct",
        "class",
        "union",
        "enum",
        "extern",
        "friend",
        "static_assert",
        "namespace",
        "__device__",
        "__constant__",
        "__shared__",
        "__managed__",
        "thread_local",
        "asm",
        "operator",
        "concept",
    ]
)


def _host_variable(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the variable that a declaration at file scope defines, and what to do instead."""
    stream = item.stream
    texts = [stream.text(i) for i in range(item.start, item.end)]
    if set(texts) & _NO_VARIABLE or any("DEVICE" in text for text in texts) or len(texts) < 2:
        return
    stop = next((i for i, text in enumerate(texts) if text in ("=", "[", "{", "(", ",")), len(texts))
    if stop < 2 or stop == len(texts) and len(texts) > 4 or texts[stop : stop + 1] == ["("]:
        return
    name = stream.tokens[item.start + stop - 1]
    plain_type = all(stream.tokens[item.start + i].kind == "name" for i in range(stop))
    if name.kind != "name" or not plain_type:
        return
    constant = "constexpr" in texts[:stop] or "const" in texts[:stop]
    if texts[stop : stop + 1] == ["["]:
        yield name.text, "declare the array __constant__, or inside the function"
    elif not constant:
        yield name.text, "pass it as an argument, or declare it __device__"


def _functors(found: list[Item], launches: list[Launch], sides: Sides) -> Iterator[Fault]:
    """Find structs whose `operator()` is the host's and whose name device code or a launch uses."""
    used = {
        item.stream.text(i) for item in found if sides.side(item) in ("global", "device") for i in item.body()
    }
    used |= {launch.stream.text(i) for launch in launches for i in range(launch.callee, launch.end)}
    for item in found:
        if item.function is None and item.stream.text(item.start) in ("struct", "class", "template"):
            token = _host_call_operator(item, used)
            if token is not None:
                yield Fault(
                    token,
                    "operator() is a __host__ function, which a kernel cannot call: declare it __device__",
                )


def _host_call_operator(item: Item, used: set[str]) -> Token | None:
    stream = item.stream
    brace = next((i for i in range(item.start, item.end) if stream.text(i) == "{"), None)
    if brace is None or not _opens_class(stream, brace):
        return None
    head = [i for i in range(item.start, brace) if stream.text(i) in ("struct", "class")]
    if not head or stream.text(head[-1] + 1) not in used:
        return None
    for index in range(brace, item.end):
        if stream.text(index) == "operator" and stream.text(index + 1) == "(":
            start = index
            while stream.text(start - 1) not in (";", "{", "}", ":", ""):
                start -= 1
            words = {stream.text(i) for i in range(start, index)}
            marked = any("DEVICE" in w or w in ("__device__", "__host__", "constexpr") for w in words)
            macro = any(_is_macro_like(stream.text(i)) for i in range(start, index))
            return None if marked or macro else stream.tokens[index]
    return None


def _is_macro_like(text: str) -> bool:
    return text.isupper() and len(text) > 2
