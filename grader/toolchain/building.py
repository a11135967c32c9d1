"""Building for the simulator: translate, compile with the least headers that serve, link, keep."""

from __future__ import annotations

import functools
import json
import os
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from grader.toolchain import (
    binding,
    cache,
    diagnostics,
    growing,
    identifiers,
    machine_faults,
    memory,
    runtime,
    symbols,
)
from grader.toolchain.compiler import MESSAGE_FLAGS, run, standard_library
from grader.toolchain.diagnostics import told
from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.loading import SIM_LIBRARY
from grader.toolchain.locks import locked
from grader.toolchain.plan import Plan
from grader.toolchain.progress import Watcher
from grader.toolchain.request import BuildRequest, BuildResult, Diagnostic
from grader.toolchain.torch_install import python_include
from grader.toolchain.units import Source

CPU_SECONDS = int(os.environ.get("GRADER_COMPILE_SECONDS") or 60)
"""How much one compilation may compute with lean headers; with PyTorch's own twice that."""

WALL_SECONDS = 170.0
"""How long one compilation may take; past that, but not past `CPU_SECONDS`, the machine is too busy."""

_WRAPPED = ["memcpy", "memmove", "memset", "__assert_fail"]
LINK = ["-shared", "-Wl,-Bsymbolic-functions", *(f"-Wl,--wrap={name}" for name in _WRAPPED)]
_TORCH_DEFINES = [
    f"-D__CUDA_NO_{name}__"
    for name in ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS", "BFLOAT16_CONVERSIONS")
]
"""What PyTorch gives nvcc for every extension; `extra_cuda_cflags` may take it back with -U."""

_OVERTIME = re.compile(r"CPU time limit exceeded")
_EXHAUSTED = re.compile(r"^(\S*cc1plus\S*: out of memory|virtual memory exhausted)", re.MULTILINE)


def build(request: BuildRequest, progress: Watcher | None = None) -> BuildResult:
    """Build a request for the simulator, or find it built."""
    started = time.monotonic()
    found = runtime.ensure(progress)
    sources = _sources(request)
    early = _early(request, sources)
    if early is not None:
        return replace(early, seconds=time.monotonic() - started)
    plan = Plan(request, sources, found)
    place = cache.root() / "modules" / plan.key()
    result = _kept(place)
    if result is None:
        with locked(cache.lock_path(place.name)):
            result = _kept(place) or _make(plan, place)
    return replace(result, seconds=time.monotonic() - started)


def _sources(request: BuildRequest) -> list[Source]:
    """Return the units: the CUDA text, and the C++ text where it holds more than declarations."""
    cuda = Source.read(request.cuda, request.file, request.first_line)
    if not request.cpp.strip():
        return [cuda]
    cpp = Source.read(request.cpp, _cpp_file(request.file), 1)
    if not request.cuda.strip():
        return [cpp]
    return [cuda] if _declares_only(cpp) else [cuda, cpp]


def _cpp_file(file: str) -> str:
    return file.replace("cuda", "cpp") if "cuda" in file else f"{file} (cpp)"


def _declares_only(source: Source) -> bool:
    return "{" not in source.text and "#" not in source.text


_PER_THREAD = ("per-thread", "CUDA_API_PER_THREAD_DEFAULT_STREAM")
"""In nvcc's flags: every null stream of the unit means another one; the simulator's functions know one."""


def _early(request: BuildRequest, sources: list[Source]) -> BuildResult | None:
    """Return the result where no compiler is needed for it."""
    missing = [
        {"construct": m.construct, "line": m.line} for source in sources for m in source.translation.missing
    ]
    if any(word in flag for flag in request.extra_cuda_cflags for word in _PER_THREAD):
        missing.append({"construct": "default stream for each thread", "line": request.first_line})
    if missing:
        return BuildResult(ok=False, missing=missing, diagnostics=_needs_gpu(missing, sources[0]))
    if not any(source.text.strip() for source in sources):
        return BuildResult(
            False,
            diagnostics=[Diagnostic("error", "the source is empty: write a host function and its kernel")],
        )
    faults = [fault for source in sources for fault in _second_binding(request, source)]
    faults += [fault for source in sources for fault in source.faults(request.extra_cuda_cflags)]
    return BuildResult(False, diagnostics=faults) if faults else None


def _second_binding(request: BuildRequest, source: Source) -> list[Diagnostic]:
    """Say that the functions are bound already, where the source would bind them too."""
    line = source.translation.pybind_line
    if line is None or request.functions is None:
        return []
    named = " and ".join(request.functions) or "the functions"
    return [
        Diagnostic(
            "error",
            f"PYBIND11_MODULE is one module too many: {named} will be offered to Python without it. "
            "Remove the block.",
            source.place(line),
        )
    ]


def _needs_gpu(missing: list[dict[str, object]], source: Source) -> list[Diagnostic]:
    return [
        Diagnostic(
            "error", f"needs a GPU: the simulator has no {m['construct']}", source.place(int(str(m["line"])))
        )
        for m in missing
    ]


def _kept(place: Path) -> BuildResult | None:
    try:
        data = json.loads((place / "result.json").read_text())
        words = data.pop("told")
        result = BuildResult.from_json(data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    if not result.ok and words != _telling():
        return None
    if result.ok and not (result.library and result.library.exists()):
        return None
    cache.used(place)
    return replace(result, cached=True)


@functools.cache
def _telling() -> str:
    """Return the name of what turns a compiler's output into errors: kept errors are of no use to another."""
    modules = (binding, diagnostics, growing, identifiers)
    return cache.key(Path(str(module.__file__)).read_text() for module in modules)


def _make(plan: Plan, place: Path) -> BuildResult:
    with cache.writing(cache.root()), cache.scratch(place.parent) as directory:
        result = _compiled(plan, directory)
        if result.ok:
            result = replace(result, library=place / SIM_LIBRARY)
        elif not plan.runtime.is_whole:
            raise EnvironmentFault(
                f"Something removed files from {cache.root()} during the build. Try again."
            )
        (directory / "result.json").write_text(json.dumps({**result.to_json(), "told": _telling()}))
        cache.publish(directory, place)
        cache.prune(place.parent)
        return result


def _compiled(plan: Plan, directory: Path) -> BuildResult:
    """Compile with growing headers until it works or more headers cannot help."""
    mode = plan.mode
    while True:
        result = _attempt(plan, mode, directory)
        if result.ok:
            return result
        missing = _missing(result)
        if missing:
            return replace(result, missing=missing)
        further = growing.further(plan.runtime, plan.sources, mode, result)
        if further is None:
            return _explained(plan, result)
        mode = further


_LACKING = re.compile(r"needs a GPU: the simulator has no (.+)$")


def _missing(result: BuildResult) -> list[dict[str, object]]:
    """Return the constructs that only the simulator's headers could find missing, each once."""
    found = ((_LACKING.search(d.message), d.place) for d in result.diagnostics if d.severity == "error")
    lines = {match[1]: place.line if place else 0 for match, place in found if match}
    return [{"construct": construct, "line": line} for construct, line in lines.items()]


def _attempt(plan: Plan, mode: str, directory: Path) -> BuildResult:
    objects = [directory / f"{index}.o" for index, _ in enumerate(plan.sources)]
    with ThreadPoolExecutor(runtime.JOBS) as pool:
        outputs = list(
            pool.map(
                lambda pair: _compile(plan, pair[0], mode, pair[1]), zip(plan.sources, objects, strict=True)
            )
        )
    failed = next((output for output in outputs if output is not None), None)
    output = failed if failed is not None else _link(plan, mode, objects, directory / SIM_LIBRARY)
    if output is None:
        library = directory / SIM_LIBRARY
        if names := symbols.reserved(library):
            return BuildResult(False, diagnostics=[_reserved(names)], commands=plan.commands)
        reaching = symbols.reaching(library)
        return BuildResult(True, library, plan.names(), commands=plan.commands, reaching=reaching)
    whole = "\n".join(text for text in outputs if text) or output
    return BuildResult(False, diagnostics=told(whole, plan.locate), output=whole, commands=plan.commands)


def _reserved(names: list[str]) -> Diagnostic:
    return Diagnostic(
        "error", f"{names[0]} is a name of the simulator's own: give the function or variable another one"
    )


def _compile(plan: Plan, source: Source, mode: str, target: Path) -> str | None:
    """Compile one unit; return the compiler's output if it failed."""
    return compiled_unit(plan, source, plan.unit(source, mode), mode, target)


def compiled_unit(
    plan: Plan, source: Source, unit: str, mode: str, target: Path, include: Sequence[str] = ()
) -> str | None:
    """Compile a unit's text with a plan's flags; return the compiler's output if it failed."""
    text = target.with_suffix(".cpp")
    text.write_text(unit, encoding="utf-8", errors="surrogateescape")
    found, request = plan.runtime, plan.request
    flags = [
        *found.unit_flags(mode),
        *_TORCH_DEFINES,
        f"-DTORCH_EXTENSION_NAME={request.name}",
        "-DTORCH_API_INCLUDE_EXTENSION_H",
    ]
    if mode == "full":
        flags.append(f"-isystem{python_include()}")
    flags += include
    flags += [f"-I{path}" for path in request.extra_include_paths]
    flags += [*request.extra_cflags, *MESSAGE_FLAGS, "-include", str(found.header(mode))]
    command: list[str | Path] = [found.compiler.path, *flags, "-c", text, "-o", target]
    plan.commands.append(" ".join(map(str, command)))
    limit = CPU_SECONDS * (2 if mode == "full" else 1)
    ran = run(command, seconds=WALL_SECONDS, cpu_seconds=limit)
    if ran.timed_out:
        raise EnvironmentFault(
            f"A compilation did not end within {WALL_SECONDS:g} s: the machine is busy. Try again later."
        )
    if ran.status and _OVERTIME.search(ran.output):
        return (
            f"{source.file}:{source.first_line}: error: compiling this takes more than {limit} s of computing"
        )
    if ran.status and _EXHAUSTED.search(ran.output):
        size = memory.compiler_bytes() >> 30
        return f"{source.file}:{source.first_line}: error: compiling this takes more than {size} GB of memory"
    machine_faults.check(ran.output if ran.status else "")
    return ran.output if ran.status else None


def _link(plan: Plan, mode: str, objects: list[Path], target: Path) -> str | None:
    found = plan.runtime
    libraries = [
        standard_library(),
        f"-L{found.directory}",
        "-lgrader_sim",
        f"-L{found.install.libraries}",
    ]
    # PyTorch's full headers name Python's functions, which no library has but the interpreter.
    libraries += [
        "-ltorch_cpu",
        "-lc10",
        *(["-ltorch", "-ltorch_python"] if mode == "full" else ["-Wl,-z,defs"]),
    ]
    command: list[str | Path] = [
        found.compiler.path,
        *LINK,
        *objects,
        *libraries,
        *plan.request.extra_ldflags,
        "-o",
        target,
    ]
    ran = run(command, seconds=WALL_SECONDS)
    machine_faults.check(ran.output if ran.status else "")
    return ran.output if ran.status else None


def _explained(plan: Plan, result: BuildResult) -> BuildResult:
    """Say what is defined where a wanted function is not."""
    defined = [function.name for source in plan.sources for function in source.translation.defined]
    explained = [_with_names(diagnostic, defined) for diagnostic in result.diagnostics]
    for source in plan.sources:
        explained = [source.refined(diagnostic) for diagnostic in explained]
    return replace(result, diagnostics=list(dict.fromkeys(explained)))


def _with_names(diagnostic: Diagnostic, defined: list[str]) -> Diagnostic:
    if not diagnostic.message.startswith("no function named"):
        return diagnostic
    wanted = diagnostic.message.split("'")[1]
    close = get_close_matches(wanted, defined, 1)
    listed = f"the source defines: {', '.join(defined)}" if defined else "the source defines no host function"
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return replace(diagnostic, message=f"{diagnostic.message}; {listed}{hint}", place=None)
