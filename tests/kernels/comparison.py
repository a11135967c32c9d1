"""What simulator and GPU said of each form, stored as it comes and written down as a report."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.agreement.machine import describe, gpu_name
from tests.kernels.corpus import Form, surprise
from tests.kernels.sanitizer import TOOLS

_USUAL_TOOL = {
    "data_race": "racecheck",
    "barrier_divergence": "synccheck",
    "absent_lane": "synccheck",
    "uninitialised_read": "initcheck",
}


class Store:
    """Results by form, source text and part, one JSON object a line; later ones replace earlier ones."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier run stored; a line that a kill cut short is passed over."""
        self._path = path
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str, str], Any] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
                self._found[entry["form"], entry["digest"], entry["part"]] = entry["value"]
            except (ValueError, KeyError):
                continue

    def put(self, form: Form, part: str, value: Any) -> None:
        """Keep a result, on disk before anything else happens."""
        entry = {"form": form.name, "digest": _digest(form), "part": part, "value": value}
        with self._lock:
            self._found[form.name, entry["digest"], part] = value
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry) + "\n")

    def get(self, form: Form, part: str) -> Any:
        """Return the result for this very source, if there is one."""
        return self._found.get((form.name, _digest(form), part))

    def library(self, form: Form, device: str) -> Path | None:
        """Return the built library, if it was built and is still there."""
        build = self.get(form, f"build {device}")
        library = Path(build["library"]) if build and build["library"] else None
        return library if library and library.exists() else None


def _digest(form: Form) -> str:
    """Name the code: what its header says of it may be put otherwise."""
    return hashlib.sha256(re.sub(r"^//.*\n", "", form.source, flags=re.MULTILINE).encode()).hexdigest()[:12]


def tools_of(form: Form) -> tuple[str, ...]:
    """Return the tools that a form is checked with: all for a right one, else what its header names."""
    if form.kind is None:
        return TOOLS
    if form.kind == "deadlock":
        return ()
    return form.tools or (_USUAL_TOOL.get(form.kind, "memcheck"),)


def report(forms: Sequence[Form], store: Store, out: Path, date: str) -> str:
    """Write kernels.json and the Markdown report; return the latter."""
    machine = describe()
    rows = [_row(form, store) for form in forms]
    data = {"date": date, "machine": machine, "forms": rows}
    (out / "kernels.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    text = "\n".join(_lines(rows, machine, date)) + "\n"
    (out / f"{date}-kernels-{gpu_name(machine)}.md").write_text(text, encoding="utf-8")
    return text


def _row(form: Form, store: Store) -> dict[str, Any]:
    device, sim = store.get(form, "device") or [], store.get(form, "sim") or []
    said = {tool: store.get(form, tool) for tool in tools_of(form) if store.get(form, tool) is not None}
    row = {
        "kernel": form.kernel,
        "form": form.path.stem,
        "kind": form.kind,
        "fault": form.header("Fault"),
        "header": form.header("On a GPU"),
        "sim": _sim_words(sim),
        "sim_agrees": bool(sim)
        and not surprise(form, [(seen["kinds"], seen["values"], seen["error"]) for seen in sim]),
        "gpu": _device_words(device),
        "evidence": _evidence(device, said),
        "sanitizer": said,
        "checked": bool(device) and len(said) == len(tools_of(form)),
    }
    return {**row, "verdict": _verdict(form, row)}


def _sim_words(sim: Sequence[dict[str, Any]]) -> str:
    kinds = sorted({kind for seen in sim for kind in seen["kinds"]})
    return ", ".join(kinds) or (
        "values " + "/".join(sorted({seen["values"] for seen in sim})) if sim else "?"
    )


def _device_words(device: Sequence[dict[str, Any]]) -> str:
    if not device:
        return "?"
    if device[-1]["error"]:
        return _in_short(device[-1]["error"])
    wrong = sum(seen["values"] == "wrong" for seen in device)
    return f"wrong in {wrong} of {len(device)}" if wrong else "right"


def _in_short(error: str) -> str:
    first = error.strip().split("\n")[0].replace("|", "/")
    return first if len(first) < 70 else first[:70] + " ..."


def _evidence(device: Sequence[dict[str, Any]], said: dict[str, list[str]]) -> list[str]:
    found = []
    if any(seen["values"] == "wrong" for seen in device):
        found.append("wrong values")
    if any(seen["error"] for seen in device):
        found.append("a hang" if "no end within" in device[-1]["error"] else "an error")
    return found + [f"compute-sanitizer {tool}" for tool, lines in said.items() if lines]


def _verdict(form: Form, row: dict[str, Any]) -> str:
    """Say in a few words whether the GPU bears the form out."""
    if not row["checked"] and not (form.kind and row["evidence"]):
        return "not finished"
    if form.kind is None:
        return "right and silent" if not row["evidence"] else "NO: " + ", ".join(row["evidence"])
    if row["evidence"]:
        return "confirmed"
    return "may pass on a GPU" if "may pass" in form.signs else "UNCONFIRMED"


def _lines(rows: Sequence[dict[str, Any]], machine: dict[str, str], date: str) -> Iterator[str]:
    right = [row for row in rows if row["kind"] is None]
    faulty = [row for row in rows if row["kind"] is not None]

    def count(of: Sequence[dict[str, Any]], verdict: str) -> int:
        return sum(row["verdict"] == verdict for row in of)

    yield f"# Kernel programs on the simulator and a GPU, {date}"
    yield ""
    yield (
        f"{len(right)} kernels. Of the right forms {count(right, 'right and silent')} are right on the GPU "
        f"and silent under compute-sanitizer, {sum(row['sim_agrees'] for row in right)} are right and silent "
        f"on the simulator. Of {len(faulty)} faulty forms the GPU confirms {count(faulty, 'confirmed')}, "
        f"{count(faulty, 'may pass on a GPU')} may pass on a GPU, {count(faulty, 'UNCONFIRMED')} are "
        f"unconfirmed and {count(faulty, 'not finished')} not finished; the simulator reports "
        f"{sum(row['sim_agrees'] for row in faulty)} as their kind."
    )
    yield ""
    yield ", ".join(f"{key} {value}" for key, value in machine.items())
    yield ""
    yield "*Simulator*: kinds reported in three orders of blocks and threads. *Values*: ten runs on the GPU."
    for title, group in (("Faults", faulty), ("Right forms", right)):
        yield from ("", f"## {title}", "")
        yield "| kernel | form | simulator | values on the GPU | compute-sanitizer | verdict |"
        yield "|---|---|---|---|---|---|"
        for row in group:
            sim = row["sim"] if row["sim_agrees"] else f"**{row['sim']}**"
            cells = (row["kernel"], row["form"], sim, row["gpu"], _tools_words(row), row["verdict"])
            yield "| " + " | ".join(cells) + " |"


def _tools_words(row: dict[str, Any]) -> str:
    said: dict[str, list[str]] = row["sanitizer"]
    silent = [tool for tool, lines in said.items() if not lines]
    loud = [f"{tool}: {lines[0][:110]}".replace("|", "/") for tool, lines in said.items() if lines]
    return "; ".join([*loud, *([f"{', '.join(silent)} silent"] if silent else [])]) or "-"
