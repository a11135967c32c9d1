"""Run every kernel program on a GPU, and compare with what the simulator says.

    python -m tests.kernels.on_gpu --out DIRECTORY --date 2026-12-01

Builds all forms for CUDA and for the simulator, runs each in a process of its own, then under the tools of
compute-sanitizer that its header names.  Results are stored as they come, in DIRECTORY/kernels.jsonl, and
a second run does only what is missing; what the simulator said elsewhere can be brought along.
Writes kernels.json and DATE-kernels-GPU.md there.
`--device sim` with `--sanitizer PROGRAM` tries the script itself out where there is no GPU.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.kernels import sanitizer
from tests.kernels.comparison import Store, report, tools_of
from tests.kernels.corpus import Form, forms
from tests.kernels.execution import ORDERS, Observation, built, observe

RUNS = 10
_RIGHT = 7
_FAULTY = 3
"""Forms that share a process under a tool, which prints a bounded number of reports in each."""
Job = Callable[[], Iterable[tuple[Form, str, Any]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is missing, write the report; 0 if every form came out as its header says."""
    options = _parser().parse_args(arguments)
    chosen = [form for form in forms() if any(part in form.name for part in options.only.split(","))]
    options.out.mkdir(parents=True, exist_ok=True)
    store = Store(options.out / "kernels.jsonl")
    _ensure_runtime()
    began = time.monotonic()
    for phase in (_builds, _runs, _checks):
        jobs = phase(chosen, store, options)
        _work(phase.__name__[1:], jobs, store, options.jobs, began)
    text = report(chosen, store, options.out, options.date)
    print(text.split("\n|")[0])
    return 0 if "UNCONFIRMED" not in text and "NO:" not in text else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(os.environ.get("OUT", "/tmp/kernels")))
    parser.add_argument("--date", required=True, help="the date in the report's name and title")
    parser.add_argument("--jobs", type=int, default=max(2, len(os.sched_getaffinity(0)) - 2))
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    parser.add_argument("--device", default="cuda", choices=("cuda", "sim"))
    parser.add_argument("--sanitizer", default=sanitizer.find(), help="the program to check with")
    return parser


def _ensure_runtime() -> None:
    from grader.toolchain.runtime import ensure

    print("simulator runtime ...", flush=True)
    ensure()


def _builds(chosen: Sequence[Form], store: Store, options: argparse.Namespace) -> list[Job]:
    def missing(form: Form, device: str) -> bool:
        return store.library(form, device) is None and not (device == "sim" and store.get(form, "sim"))

    def job(group: list[Form], device: str) -> Job:
        def build() -> Iterable[tuple[Form, str, Any]]:
            for form in group:
                result = built(form, device)
                words = [diagnostic.message for diagnostic in result.diagnostics]
                value = {"library": str(result.library or ""), "seconds": result.seconds}
                yield form, f"build {device}", {**value, "messages": words[:3]}

        return build

    # The forms of a kernel share a library.
    return [
        job(group, device)
        for device in dict.fromkeys((options.device, "sim"))
        for _, forms_of in itertools.groupby(chosen, key=lambda form: form.kernel)
        if (group := [form for form in forms_of if missing(form, device)])
    ]


def _runs(chosen: Sequence[Form], store: Store, options: argparse.Namespace) -> list[Job]:
    def on_sim(form: Form, library: Path) -> Job:
        def run() -> Iterable[tuple[Form, str, Any]]:
            seen = [observe(form, library, "sim", (order,))[0] for order in ORDERS]
            yield form, "sim", [_plain(one) for one in seen]

        return run

    def on_device(form: Form, library: Path) -> Job:
        def run() -> Iterable[tuple[Form, str, Any]]:
            seen = observe(form, library, options.device, ("ascending",) * RUNS, seconds=30.0)
            yield form, "device", [_plain(one) for one in seen]

        return run

    jobs = []
    # What hangs comes last: it slows everything down that shares the GPU.
    for form in sorted(chosen, key=lambda form: form.kind == "deadlock"):
        # The first run decides what all are forked from, and a process that knows `sim` has no other default.
        for part, device, make in (("device", options.device, on_device), ("sim", "sim", on_sim)):
            library = store.library(form, device)
            if library and store.get(form, part) is None:
                jobs.append(make(form, library))
    return jobs


def _plain(seen: Observation) -> dict[str, Any]:
    return {"values": seen.values, "error": seen.error[:300], "kinds": sorted(seen.kinds)}


def _checks(chosen: Sequence[Form], store: Store, options: argparse.Namespace) -> list[Job]:
    program = options.sanitizer
    if program is None:
        print("compute-sanitizer was not found: nothing is checked with it", flush=True)
        return []

    def job(tool: str, batch: list[tuple[Form, Path]]) -> Job:
        def check() -> Iterable[tuple[Form, str, Any]]:
            for form, said in sanitizer.check(program, tool, batch, options.device):
                yield form, tool, said

        return check

    jobs = []
    for tool in sanitizer.TOOLS:
        wanted = [form for form in chosen if tool in tools_of(form) and store.get(form, tool) is None]
        able = [(form, library) for form in wanted if (library := store.library(form, options.device))]
        right = [pair for pair in able if pair[0].kind is None]
        faulty = [pair for pair in able if pair[0].kind is not None]
        # A memory fault ends the process, so those have one each.
        few = 1 if tool == "memcheck" else _FAULTY
        for group, size in ((right, _RIGHT), (faulty, few)):
            jobs += [job(tool, group[i : i + size]) for i in range(0, len(group), size)]
    return jobs


def _work(name: str, jobs: Sequence[Job], store: Store, lanes: int, began: float) -> None:
    """Do the jobs, store each result at once, and say how far it is."""
    done = 0
    with ThreadPoolExecutor(lanes) as pool:
        futures = [pool.submit(_stored, job, store) for job in jobs]
        for future in as_completed(futures):
            done += 1
            trouble = future.exception()
            if trouble:
                print(f"  {name}: {type(trouble).__name__}: {trouble}", flush=True)
            if done % 10 == 0 or done == len(jobs):
                print(f"{time.monotonic() - began:6.1f} s  {name} {done} of {len(jobs)}", flush=True)


def _stored(job: Job, store: Store) -> None:
    for form, part, value in job():
        store.put(form, part, value)


if __name__ == "__main__":
    sys.exit(main())
