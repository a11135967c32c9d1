"""The two ways in which a build fails: the machine's fault, and the source's."""

from __future__ import annotations

from grader.toolchain.request import Diagnostic


class EnvironmentFault(Exception):  # noqa: N818 - the word of the design: a fault of the machine, not an error of code
    """The machine cannot build: no compiler, no space, no write access.  The message names the next step."""


class CompileError(RuntimeError):
    """The source does not compile.  The text shows the first error where it stands."""

    def __init__(self, diagnostics: list[Diagnostic], output: str = "") -> None:
        """Keep the diagnostics, and the compiler's whole output for those who ask for it."""
        self.diagnostics = diagnostics
        self.output = output
        super().__init__(_text(diagnostics))


def _text(diagnostics: list[Diagnostic]) -> str:
    errors = [one for one in diagnostics if one.severity == "error"]
    if not errors:
        return "The build failed.  verbose=True shows the compiler's whole output."
    count = len(errors) - 1
    more = (
        f"\n({count} more error{'s'[: count > 1]}; the first one often causes the others.)" if count else ""
    )
    return f"{render(errors[0])}{more}\nverbose=True shows the compiler's whole output."


def render(diagnostic: Diagnostic) -> str:
    """Return a diagnostic with its source line and a caret below its column."""
    place = diagnostic.place
    if place is None:
        return f"error: {diagnostic.message}"
    column = f", column {place.column}" if place.column else ""
    text = f"{place.file}, line {place.line}{column}: {diagnostic.message}"
    if not place.text.strip():
        return text
    text += f"\n    {place.text.expandtabs(1)}"
    return text + (f"\n    {' ' * (place.column - 1)}^" if place.column else "")
