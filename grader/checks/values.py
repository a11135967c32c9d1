"""`close` for answers of Python alone: every function's value, and every dict's, is exactly the reference's.

Values are whole numbers, so there is no tolerance.  The judge computes them; the worker never sees one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grader.checks.base import PASSED, Bench, Check, Finding, failed
from grader.exercise import Case
from grader.judge import messages
from grader.judge.observation import Foreign

_MISSING = object()


@dataclass(frozen=True)
class Values(Check):
    """Exact values.  See the module."""

    advice: str = ""
    """What to try, where a value is wrong."""
    tells: bool = True
    """Whether a message names the right value."""
    name = "close"
    vacuous_without_values = False

    def run(self, bench: Bench) -> Finding:
        """Report the first value that is wrong, and how many are."""
        seen = [problem for case in bench.exercise.cases for problem in self._problems(bench, case)]
        wrong = [problem for problem in seen if problem]
        if not wrong:
            return PASSED
        are = "is" if len(wrong) == 1 else "are"
        count = f" {len(wrong)} of {len(seen)} values {are} wrong." if len(seen) > 1 else ""
        return failed(wrong[0] + count)

    def _problems(self, bench: Bench, case: Case) -> Iterator[str | None]:
        """Yield what is wrong with each value of a case, or None."""
        case = bench.sized(case)
        arguments = bench.exercise.inputs(case, bench.random(case.name))
        for name, expected in bench.exercise.reference(*arguments).items():
            seen = bench.ask(f"answer.{name}", *arguments)
            words = f"{name}({', '.join(map(str, arguments))})" if arguments else name
            where = f'case "{case.name}", {_named(bench, arguments)}' if arguments else ""
            if seen.error:
                yield messages.exception(words, seen.error, where)
            elif isinstance(expected, Mapping):
                yield from self._entries(name, seen.value, expected)
            else:
                yield self._differs(words, seen.value, expected, messages.located(where))

    def _entries(self, name: str, value: Any, expected: Mapping[str, int]) -> Iterator[str | None]:
        if not isinstance(value, dict):
            yield f"{name} is {_shown(value)}, not a dict with the keys {', '.join(expected)}."
            return
        for key, number in expected.items():
            yield self._differs(f'{name}["{key}"]', value.get(key, _MISSING), number, "")
        strangers = [key for key in value if key not in expected]
        if strangers:
            yield f"{name} has the key {strangers[0]!r}; it should have {', '.join(expected)} only."

    def _differs(self, words: str, value: Any, expected: int, where: str) -> str | None:
        if value is _MISSING:
            return f"{words} is missing."
        if type(value) is int and value == expected:
            return None
        right = f"expected {expected}" if self.tells else "expected another number"
        if not isinstance(value, int) or isinstance(value, bool):
            return f"{words} is {_shown(value)}{where}; expected a whole number, an int."
        return f"{words} is {_shown(value)}{where}; {right}. {self.advice}".rstrip()


def _named(bench: Bench, arguments: tuple[Any, ...]) -> str:
    names = zip(bench.exercise.parameters, arguments, strict=True)
    return ", ".join(f"{name} = {value}" for name, value in names)


def _shown(value: Any) -> str:
    if isinstance(value, Foreign):
        return "None" if value.type == "NoneType" else f"a {value.type}"
    return "a dict" if isinstance(value, dict) else str(value)[:80]
