"""What a build is asked for and what it answers, in plain data that JSON can carry."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.verdict import Place

SOURCE_BYTES = 1 << 20
"""How large the sources of one build may be together: a lesson's largest has less than a hundredth."""


@dataclass(frozen=True)
class Diagnostic:
    """One message of a compiler.  `place` is in the learner's source, `details` is the rest that it said."""

    severity: str
    message: str
    place: Place | None = None
    details: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the diagnostic as plain data."""
        where = self.place.to_json() if self.place else None
        return {"severity": self.severity, "message": self.message, "place": where, "details": self.details}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Diagnostic:
        """Return what `to_json` wrote."""
        place = Place(**data["place"]) if data["place"] else None
        return Diagnostic(data["severity"], data["message"], place, data.get("details", ""))


@dataclass(frozen=True)
class BuildRequest:
    """What to build.

    `functions=None` offers every host function at file scope that is not static, not a template and has
    arguments that Python can pass.  `first_line` is the number that the editor shows for the first line of
    `cuda`; `file` is what messages call it.  `exact` builds with PyTorch's own `load_inline` (CUDA only).
    """

    name: str
    cuda: str
    cpp: str = ""
    functions: list[str] | None = None
    device: str = "sim"
    first_line: int = 1
    file: str = "cell"
    exact: bool = False
    with_cuda: bool = True
    extra_cflags: list[str] = field(default_factory=list)
    extra_cuda_cflags: list[str] = field(default_factory=list)
    extra_ldflags: list[str] = field(default_factory=list)
    extra_include_paths: list[str] = field(default_factory=list)
    no_implicit_headers: bool = False

    def refusal(self) -> Diagnostic | None:
        """Return why nothing is tried at all, or None."""
        size = len(self.cuda.encode(errors="surrogatepass")) + len(self.cpp.encode(errors="surrogatepass"))
        if size <= SOURCE_BYTES:
            return None
        return Diagnostic(
            "error",
            f"the source has {size / 1e6:.1f} MB; at most {SOURCE_BYTES / 1e6:.1f} MB are compiled: "
            "leave out what is not code, and read tables from a tensor",
        )

    @staticmethod
    def from_json(data: dict[str, Any]) -> BuildRequest:
        """Return the request that `data` describes; unknown keys are an error."""
        return BuildRequest(**data)


@dataclass(frozen=True)
class BuildResult:
    """What came of a build.  `functions` are what the module offers; the first error comes first."""

    ok: bool
    library: Path | None = None
    functions: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0.0
    cached: bool = False
    missing: list[dict[str, Any]] = field(default_factory=list)
    output: str = ""
    commands: list[str] = field(default_factory=list)
    reaching: list[str] = field(default_factory=list)
    """Functions that the module calls to load or look up code, or to steer the simulator past its headers."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        data = asdict(self)
        data["library"] = str(self.library) if self.library else None
        data["diagnostics"] = [diagnostic.to_json() for diagnostic in self.diagnostics]
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> BuildResult:
        """Return what `to_json` wrote."""
        library = Path(data["library"]) if data["library"] else None
        diagnostics = [Diagnostic.from_json(one) for one in data["diagnostics"]]
        return BuildResult(**{**data, "library": library, "diagnostics": diagnostics})
