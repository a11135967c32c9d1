"""The code that is appended to a learner's unit, so that Python finds its functions."""

from __future__ import annotations

from collections.abc import Iterable

from grader.toolchain.frontend import HostFunction

FILE = "<binding>"
"""What the compiler calls the appended code; an error there is about what was asked to be bound."""


def table(functions: Iterable[HostFunction], required: bool, symbol: str) -> str:
    """Return C++ code that lists `functions` under the exported name `symbol`, one line each.

    A required function whose arguments Python cannot pass is a compile-time error; another is left out.
    """
    lines = ["namespace {", "const ::grader::bind::Entry* grader_entries(unsigned long* count) {"]
    entries = []
    for function in functions:
        name = function.name
        if required:
            lines.append(
                f"static_assert(::grader::bind::bindable(&::{name}), "
                f'"{name}: Python cannot pass or take one of its types");'
            )
        names = ",".join(parameter.name for parameter in function.parameters)
        entries.append(f'::grader::bind::entry("{name}", "{names}", &::{name}),')
    lines += ["static const ::grader::bind::Entry entries[] = {", *entries, "{}};"]
    lines += [f"*count = {len(entries)};", "return entries;", "}", "}  // namespace"]
    export = '__attribute__((visibility("default")))'
    lines += [
        f'extern "C" {export} const ::grader::bind::Entry* {symbol}(unsigned long* count) '
        "{ return grader_entries(count); }",
    ]
    return "\n".join(lines) + "\n"
