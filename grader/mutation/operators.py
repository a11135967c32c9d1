"""Ways to break CUDA and Python source that works, each a mistake that learners make."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.toolchain.frontend.tokens import scan

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True)
class Operator:
    """One mistake: a pattern in code (never in comments or strings) and what is written instead."""

    name: str
    pattern: re.Pattern[str]
    replacement: Replacement

    def edits(self, code: str, source: str) -> Iterator[tuple[int, str]]:
        """Yield offset and whole text of each mutant.  `code` is `source` with all but code blanked."""
        for match in self.pattern.finditer(code):
            # What a group keeps must be all there: a string or a comment in it is blank in `code`.
            groups = [match.span(n) for n in range(1, (match.re.groups or 0) + 1)]
            if any(code[start:end] != source[start:end] for start, end in groups if start >= 0):
                continue
            new = self.replacement(match) if callable(self.replacement) else match.expand(self.replacement)
            text = source[: match.start()] + new + source[match.end() :]
            if text != source:
                yield match.start(), text


def _operator(name: str, pattern: str, replacement: Replacement) -> Operator:
    return Operator(name, re.compile(pattern), replacement)


_DECLARATION = r"[\w:<>,]+[\w:<>,*& ]* [*&]?\w+ ?[=(;\[]"

CUDA = (
    _operator("bounds: one further", r" < ", " <= "),
    _operator("bounds: one short", r" <= ", " < "),
    _operator("bounds: one short, from above", r" >= ", " > "),
    _operator("bounds: none", r"\bif \((?!\!)[^(){};]* < [^(){};]*\)", "if (true)"),
    _operator("grid: rounded down", r"\(([\w.]+(?:\(\))?) \+ (?:\w+ - 1|\d+)\) / ", r"\1 / "),
    _operator("launch: one block", r"<<<[^,<>()]+,", "<<<1,"),
    _operator("launch: a block too large", r"(<<<[^,<>]+, )(?:\w+)(?=[,>])", r"\g<1>2048"),
    _operator("launch: default stream", r"(<<<[^;]*?), [^,;]*[sS]tream[^,;]*>>>", r"\1>>>"),
    _operator("strides: contiguous forgotten", r"\.contiguous\(\)", ""),
    _operator("barriers: one forgotten", r"__sync(?:threads|warp)\([^()]*\);", ";"),
    _operator(
        "atomics: plain addition", r"\b(?:gpuA|a)tomicAdd(?:NoReturn)?\(&?([^,;]+), ([^;]+)\);", r"\1 += \2;"
    ),
    _operator("types: double as float", r"\bdouble\b", "float"),
    _operator("types: float as half", r"\bfloat(?= \w+ =)", "at::Half"),
    _operator("signs: plus as minus", r" \+ ", " - "),
    _operator("signs: minus as plus", r" - ", " + "),
    _operator("signs: times as plus", r"(?<=[\w)\]]) \* (?=[\w(])", " + "),
    _operator("signs: assigned, not added", r" \+= ", " = "),
    _operator("constants: zero as one", r"\b0(?:\.0?)?f\b", "1.f"),
    _operator(
        "guards: a check removed",
        r"\bTORCH_CHECK\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\);",
        ";",
    ),
    _operator(
        "guards: device guard removed",
        r"\b(?:const )?(?:at::|c10::)(?:cuda::)?(?:Optional)?(?:CUDA|Device)Guard[^;]*;",
        ";",
    ),
    _operator("initialisation: zeros as empty", r"\bzeros(_like)?\b", r"empty\1"),
    _operator(
        "initialisation: variable", r"(\b(?:float|double|int|scalar_t|acc_t) \w+) = 0(?:\.0?)?f?;", r"\1;"
    ),
    _operator(
        "statements: one removed",
        rf"(?m)^( +)(?!return|throw|extern|using|#|{_DECLARATION})[\w*(][^;{{}}#]*[=(][^;{{}}#]*;(?=\s*$)",
        r"\1;",
    ),
)
"""For `.cu` text.  Whole-statement removal also drops launches, copies, stores and error checks."""

PYTHON = (
    _operator("strides: contiguous forgotten", r"\.contiguous\(\)", ""),
    _operator("gradients: None for the last", r"(?m)^( +return .*), [^,\n]+$", r"\1, None"),
    _operator("gradients: swapped", r"(?m)^( +return )([\w.() *]+), ([\w.() *]+)$", r"\1\3, \2"),
    _operator("gradients: one too many", r"(?m)^( +return [^\n]+, [^\n]+)$", r"\1, None"),
    _operator("signs: times as plus", r" \* ", " + "),
    _operator("signs: greater as less", r" > ", " < "),
    _operator("signs: negated", r"(?m)^( +return )(?=[\w.]+$)", r"\1-"),
    _operator("in place: clone forgotten", r"\.clone\(\)", ""),
    _operator("gradients: detached", r"\.apply\(([^()]*)\)", r".apply(\1).detach()"),
    _operator(
        "statements: one removed",
        r"(?m)^( +)(?!return|def|class|@|from|import|\"|'|if|else|for|with|pass)(\w[^\n:]*)$",
        r"\1pass",
    ),
)
"""For the Python cell of an exercise that has one."""


def cuda_code(source: str) -> str:
    """Return the source with comments, strings and directives blanked; offsets stay."""
    tokens = [token for stream in scan(source).streams() for token in stream.tokens if token.kind != "string"]
    return _only(source, ((token.start, token.end) for token in tokens))


def python_code(source: str) -> str:
    """Return the source with comments and strings blanked; offsets stay."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (tokenize.COMMENT, tokenize.STRING) and token.string.strip():
            spans.append(
                (starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1])
            )
    return _only(source, iter(spans))


def _only(source: str, spans: Iterator[tuple[int, int]]) -> str:
    """Keep the spans and all white space; blank the rest."""
    kept = ["\n" if c == "\n" else " " for c in source]
    for start, end in spans:
        kept[start:end] = source[start:end]
    return "".join(kept)
