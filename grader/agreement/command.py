"""`grader agree`: judge the corpus on several devices and write down where they agree."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from grader.agreement.corpus import CorpusError, Submission, read_corpus
from grader.agreement.counts import table
from grader.agreement.judgeable import Judgeable
from grader.agreement.lanes import Task, judge_all
from grader.agreement.machine import describe, gpu_name
from grader.agreement.preflight import preflight
from grader.agreement.report import Report
from grader.agreement.results import Result, Results, disagreements

SEED = 20261130
"""Not the public seed: nobody can have fitted a submission to it."""
_STORE = "results.jsonl"


def main(argv: Sequence[str] | None = None) -> int:
    """Judge and report; return 0 if the devices agree and all is as promised, 1 if not, 2 for usage."""
    options = _parser().parse_args(argv)
    devices = tuple(options.devices.split(","))
    try:
        corpus = _selected(read_corpus(options.submissions), options.only)
    except CorpusError as error:
        print(error, file=sys.stderr)
        return 2
    if options.preflight:
        return 0 if preflight(corpus, devices, options.seed) else 1
    missing = [str(path) for path in options.earlier if not path.is_file()]
    if missing:
        print(f"--earlier {missing[0]}: no such file", file=sys.stderr)
        return 2
    results = Results.read(options.out / _STORE, options.earlier)
    _judge(options, corpus, devices, results)
    report = Report.of(options.date, devices, corpus, results)
    if options.table:
        options.table.parent.mkdir(parents=True, exist_ok=True)
        options.table.write_text(table(report, options.jobs), encoding="utf-8")
    else:
        _write(report, options.out)
    print(report.summary())
    return 0 if report.agrees else 1


def _judge(
    options: argparse.Namespace, corpus: Sequence[Submission], devices: Sequence[str], results: Results
) -> None:
    """Judge what no stored result covers; then, in the time left, once more and alone what surprised."""
    deadline = time.monotonic() + options.budget
    machine = describe()
    here = [device for device in devices if device not in options.stored_only.split(",")]
    missing = [
        Task(submission, device, options.seed)
        for submission in corpus
        for device in here
        if not _is_settled(results.of(submission, device), machine, options.keep)
    ]
    if missing:
        prepare()
    _collect(missing, machine, results, options.jobs, options.limit, deadline)
    # The simulator is deterministic: asking it again tells nothing.
    doubtful = [task for task in missing if task.device != "sim" and _is_doubtful(task, devices, results)]
    if options.again and doubtful:
        print(f"once more, one at a time: {len(doubtful)}", flush=True)
        _collect(doubtful, machine, results, 1, options.limit, deadline)


def prepare() -> None:
    """Build the simulator's runtime before any lane waits for it: every device's verdict needs it."""
    from grader.toolchain.runtime import ensure

    began = time.monotonic()
    ensure()
    print(f"simulator runtime: {time.monotonic() - began:.1f} s", flush=True)


def _is_settled(result: Result | None, machine: dict[str, str], keep: bool) -> bool:
    if result is None or not result.is_verdict:
        return False
    return keep or result.machine.get("grader") == machine["grader"]


def _is_doubtful(task: Task, devices: Sequence[str], results: Results) -> bool:
    """Whether a result is not as promised or differs between devices; a busy machine may be why."""
    mine = results.of(task.submission, task.device)
    if mine is None:
        return False
    others = [results.of(task.submission, device) for device in devices if device != task.device]
    differs = any(other and disagreements(mine, other) for other in others)
    return differs or not mine.is_as_promised(task.submission)


def _collect(
    tasks: list[Task], machine: dict[str, str], results: Results, jobs: int, limit: float, deadline: float
) -> None:
    began = time.monotonic()
    promised = {task.submission.name: task.submission for task in tasks}
    arriving = judge_all(tasks, machine, jobs=jobs, limit=limit, deadline=deadline)
    for count, result in enumerate(arriving, start=1):
        results.add(result)
        spent = time.monotonic() - began
        left = spent / count * (len(tasks) - count)
        progress = f"{spent:6.1f} s  {count}/{len(tasks)} ({left / 60:.0f} min left)"
        print(f"{progress}  {_line(result, promised[result.name])}", flush=True)


def _line(result: Result, submission: Judgeable) -> str:
    mark = "" if result.is_as_promised(submission) else "  NOT AS PROMISED"
    failing = ",".join(sorted(result.failing))
    return f"{result.device:4}  {result.name}: {result.outcome} {failing} ({result.seconds:.1f} s){mark}"


def _selected(corpus: tuple[Submission, ...], only: str | None) -> tuple[Submission, ...]:
    if not only:
        return corpus
    parts = only.split(",")
    chosen = tuple(entry for entry in corpus if any(part in entry.name for part in parts))
    if not chosen:
        raise CorpusError(f"--only {only}: no submission's name holds it")
    return chosen


def _write(report: Report, folder: Path) -> None:
    machines = report.to_json()["machines"]
    gpus = [machine for device in report.devices for machine in machines[device] if "gpu" in machine]
    stem = f"{report.date}-{gpu_name(gpus[0] if gpus else {})}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.md").write_text(report.to_markdown(), encoding="utf-8")
    (folder / f"{stem}.json").write_text(json.dumps(report.to_json(), indent=1) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="grader agree", description=__doc__)
    add = parser.add_argument
    add("--devices", default="sim,cuda", help="kinds of device, separated by commas")
    add("--submissions", type=Path, default=Path("tests/submissions"), metavar="DIR")
    add("--only", metavar="TEXT,...", help="submissions whose exercise/name holds one of these")
    add("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="judged at once")
    add("--out", type=Path, default=Path("docs/reports"), metavar="DIR")
    add(
        "--earlier",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="results.jsonl of another run",
    )
    add("--keep", action="store_true", help="take stored results of other versions of the grader too")
    add("--stored-only", default="", metavar="DEVICE,...", help="devices that are not judged here")
    add("--budget", type=float, default=float("inf"), metavar="SECONDS", help="begin nothing after this")
    add("--limit", type=float, default=300.0, metavar="SECONDS", help="for one submission on one device")
    add("--no-again", dest="again", action="store_false", help="do not judge surprises a second time, alone")
    add("--seed", type=int, default=SEED)
    add("--date", default=datetime.date.today().isoformat(), help="of the report")
    add("--table", type=Path, metavar="FILE", help="write counts of each exercise there, and no report")
    add("--preflight", action="store_true", help="try one part after another and print timings")
    return parser
