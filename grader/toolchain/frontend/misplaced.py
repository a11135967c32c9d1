"""What stands on the wrong side and is no call in a function: launches, variables, tensors in kernels."""

from __future__ import annotations

from collections.abc import Iterator

from grader.toolchain.frontend.kernels import Fault, Launch
from grader.toolchain.frontend.outline import Item, Sides
from grader.toolchain.frontend.storage import Declaration


def find(
    found: list[Item], launches: list[Launch], declarations: list[Declaration], sides: Sides
) -> Iterator[Fault]:
    """Yield launches of host functions, and what holds a variable or a tensor where none can be."""
    hosts = _hosts(found, sides)
    yield from _launches(launches, hosts)
    yield from _initialised(declarations, hosts)
    for item in found:
        side = sides.side(item)
        if item.function is not None and side == "host":
            yield from _shared(item)
        elif item.function is not None and side in ("global", "device"):
            yield from _tensors(item)


def _hosts(found: list[Item], sides: Sides) -> set[str]:
    """Return the names of functions whose every declaration is the host's."""
    homes: dict[str, set[str]] = {}
    for item in found:
        if item.name:
            homes.setdefault(item.name, set()).add(sides.side(item))
    return {name for name, home in homes.items() if home == {"host"}}


def _launches(launches: list[Launch], hosts: set[str]) -> Iterator[Fault]:
    for launch in launches:
        token = launch.stream.tokens[launch.callee]
        if token.text in hosts and launch.stream.text(launch.callee + 1) in ("<<<", "<"):
            yield Fault(token, f"'{token.text}' is no kernel: declare it __global__ to launch it")


def _initialised(declarations: list[Declaration], hosts: set[str]) -> Iterator[Fault]:
    for declaration in declarations:
        if not (declaration.has("__device__") or declaration.has("__constant__")):
            continue
        stream = declaration.stream
        for index in range(declaration.type_end, declaration.end):
            if (
                stream.text(index) in hosts
                and stream.text(index + 1) == "("
                and stream.text(index - 1) != "::"
            ):
                yield Fault(
                    stream.tokens[index],
                    "a variable of the device is not computed by a function of the host: give it a constant, "
                    "or copy a value there with cudaMemcpyToSymbol",
                )


def _shared(item: Item) -> Iterator[Fault]:
    for index in item.body():
        if item.stream.text(index) == "__shared__":
            yield Fault(
                item.stream.tokens[index], "a __shared__ variable belongs into a kernel: here is host code"
            )


def _tensors(item: Item) -> Iterator[Fault]:
    """Find members of a tensor that is a kernel's parameter."""
    stream, function = item.stream, item.function
    assert function is not None
    names = set()
    for index in range(function.open, function.close):
        if stream.text(index) == "Tensor" and stream.text(index - 2) in ("torch", "at"):
            at = next(i for i in range(index + 1, function.close + 1) if stream.text(i) not in ("&", "const"))
            names.add(stream.text(at))
    for index in item.body():
        if stream.text(index) in names and stream.text(index + 1) == "." and stream.text(index + 3) == "(":
            yield Fault(
                stream.tokens[index + 2],
                f"calling a __host__ function of a tensor ('{stream.text(index + 2)}') in device code is not "
                "allowed: give the kernel a pointer or an accessor, and sizes as numbers",
            )
