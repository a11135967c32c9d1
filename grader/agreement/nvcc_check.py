"""`python -m grader.agreement.nvcc_check`: every right submission compiles with nvcc.

Needs nvcc and PyTorch's headers, no GPU and no CUDA build of PyTorch: device and host code are compiled, and
nothing is linked.  Beside the corpus it takes a folder of cases, `both__*.cu`, `neither__*.cu`,
`sim_only__*.cu` and `nvcc_only__*.cu`, whose names say who accepts them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.agreement.corpus import CorpusError, read_corpus
from grader.agreement.machine import describe
from grader.toolchain import EnvironmentFault, nvcc, runtime, toolkit

ACCEPTED_BY_NVCC = {"both": True, "neither": False, "sim_only": False, "nvcc_only": True}
"""The first word of a case's name, and whether nvcc accepts it."""


@dataclass(frozen=True)
class Unit:
    """A text, and whether nvcc must accept it."""

    name: str
    text: str
    accepted: bool

    @property
    def digest(self) -> str:
        """Identify the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Compiled:
    """What nvcc said of a text."""

    name: str
    digest: str
    compiler: str
    accepted: bool
    seconds: float
    said: str = ""


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if nvcc accepts and refuses all that it must, 1 if not, 2 for usage, 3 without nvcc."""
    options = _parser().parse_args(argv)
    try:
        units = [*_right(options.submissions), *_cases(options.cases)]
        compiler = _compiler()
    except CorpusError as error:
        print(error, file=sys.stderr)
        return 2
    except EnvironmentFault as fault:
        print(fault, file=sys.stderr)
        return 3
    units = [unit for unit in units if any(part in unit.name for part in options.only.split(","))]
    store = options.out / "nvcc.jsonl"
    found = _stored(store, compiler)
    missing = [unit for unit in units if unit.digest not in found]
    _compile(missing, compiler, found, store, options)
    done = [unit for unit in units if unit.digest in found]
    wrong = [unit for unit in done if found[unit.digest].accepted is not unit.accepted]
    if options.table:
        options.table.write_text("\n".join(_table(units, found, wrong)) + "\n", encoding="utf-8")
    print(f"{len(units)} texts, {len(done)} compiled, {len(wrong)} not as said, by {compiler}.")
    for unit in wrong:
        print(f"{unit.name}: {_verdict(found[unit.digest])}")
    return 1 if wrong or len(done) < len(units) else 0


def _right(folder: Path) -> Iterator[Unit]:
    for one in read_corpus(folder):
        if one.check is None and one.cuda is not None:
            yield Unit(one.name, one.cuda, True)


def _cases(folder: Path) -> Iterator[Unit]:
    for path in sorted(folder.glob("*.cu")):
        word = path.stem.split("__")[0]
        if word not in ACCEPTED_BY_NVCC:
            raise CorpusError(f"{path}: begin its name with {', '.join(f'{w}__' for w in ACCEPTED_BY_NVCC)}")
        yield Unit(f"cases/{path.stem}", path.read_text(encoding="utf-8"), ACCEPTED_BY_NVCC[word])


def _compiler() -> str:
    """Return what a stored result depends on beside the text: the compilers, PyTorch and our headers."""
    if shutil.which("nvcc") is None:
        raise EnvironmentFault("nvcc was not found. Install the CUDA toolkit's compiler, and put it on PATH.")
    machine = describe()
    versions = f"nvcc {machine['nvcc']}, g++ {machine['g++']}, torch {machine['torch']}"
    return f"{versions}, headers {runtime.headers_key()[:8]}"


def _stored(store: Path, compiler: str) -> dict[str, Compiled]:
    """Return earlier results of the same compilers by the text's digest; a line cut short is passed over."""
    found = {}
    for line in store.read_text(encoding="utf-8").splitlines() if store.exists() else ():
        try:
            one = Compiled(**json.loads(line))
        except (ValueError, TypeError):
            continue
        if one.compiler == compiler:
            found[one.digest] = one
    return found


def _compile(
    units: Sequence[Unit], compiler: str, found: dict[str, Compiled], store: Path, options: argparse.Namespace
) -> None:
    """Compile what is missing and keep each result as it comes; begin nothing when the time is over."""
    if not units or options.budget <= 0:
        return
    store.parent.mkdir(parents=True, exist_ok=True)
    runtime.ensure()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as scratch,
        ThreadPoolExecutor(options.jobs) as lanes,
        store.open("a", encoding="utf-8") as stream,
    ):
        kit = toolkit.only_compiling(Path(scratch) / "include")
        deadline = began + options.budget
        waiting = [lanes.submit(_one, unit, compiler, Path(scratch), kit, deadline) for unit in units]
        for count, done in enumerate(as_completed(waiting), start=1):
            one = done.result()
            if one is None:
                continue
            found[one.digest] = one
            stream.write(json.dumps(asdict(one)) + "\n")
            stream.flush()
            left = (time.monotonic() - began) / count * (len(units) - count)
            print(f"{count}/{len(units)} ({left / 60:.0f} min left)  {one.name}: {_verdict(one)}", flush=True)


def _one(unit: Unit, compiler: str, scratch: Path, kit: toolkit.Toolkit, deadline: float) -> Compiled | None:
    began = time.monotonic()
    if began > deadline:
        return None
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        result = nvcc.compiles(unit.text, Path(folder), kit)
    said = result.diagnostics[0] if result.diagnostics else None
    place = f"line {said.place.line}: " if said and said.place else ""
    told = f"{place}{said.message}" if said else result.output[-300:]
    seconds = round(time.monotonic() - began, 1)
    return Compiled(unit.name, unit.digest, compiler, result.ok, seconds, "" if result.ok else told)


def _verdict(one: Compiled) -> str:
    return f"accepted ({one.seconds:.0f} s)" if one.accepted else f"refused, {one.said}"


def _table(units: Sequence[Unit], found: dict[str, Compiled], wrong: Sequence[Unit]) -> Iterator[str]:
    cases = [unit for unit in units if unit.name.startswith("cases/")]
    right = [unit for unit in units if unit not in cases]
    compilers = sorted({one.compiler for one in found.values()})
    left = sum(unit.digest not in found for unit in units)
    yield "# Compiled by nvcc"
    yield ""
    yield (
        "Written by `make nvcc-check`: right submissions compiled by nvcc for device and host with PyTorch's "
        "own headers, so that nothing that the simulator accepts as right is refused by CUDA. No GPU is "
        "needed. Below them cases of `tests/compilers`, whose names say who accepts them."
    )
    counts = f"{len(right)} right submissions, {len(cases)} cases, {len(wrong)} not as said"
    counts += f", {left} not compiled yet." if left else "."
    yield from ("", f"{'; '.join(compilers)}. {counts}")
    for title, group in (("Right submissions", right), ("Cases", cases)):
        yield from ("", f"## {title}", "", "| text | nvcc | seconds |", "|---|---|---:|")
        for unit in group:
            one = found.get(unit.digest)
            if one is None:
                yield f"| {unit.name} | not compiled yet | |"
                continue
            said = "accepted" if one.accepted else f"refused: {_cell(one.said)}"
            mark = " **not as said**" if unit in wrong else ""
            yield f"| {unit.name} | {said}{mark} | {one.seconds:.0f} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:200]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grader.agreement.nvcc_check", description=__doc__)
    add = parser.add_argument
    add("--submissions", type=Path, default=Path("tests/submissions"), metavar="DIR")
    add("--cases", type=Path, default=Path("tests/compilers"), metavar="DIR")
    add("--only", default="", metavar="TEXT,...", help="texts whose name holds one of these")
    add("--jobs", type=int, default=2, help="compiled at once")
    add("--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin nothing after this")
    add("--out", type=Path, default=Path("build/nvcc"), metavar="DIR", help="results, one a line")
    add("--table", type=Path, metavar="FILE", help="write the table there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
