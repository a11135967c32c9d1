"""compute-sanitizer on forms: several in one process, and what it said of each one's own kernels."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.kernels.corpus import Form

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
BEGIN, END = "#begin", "#end"
_SECONDS = 45.0
_SECONDS_EACH = 6.0


def find() -> str | None:
    """Return the path of compute-sanitizer, also where only the toolkit knows it."""
    found = shutil.which("compute-sanitizer")
    if found:
        return found
    homes = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", *map(str, Path("/usr/local").glob("cuda-*"))]
    nvcc = shutil.which("nvcc")
    if nvcc:
        said = subprocess.run(
            [nvcc, "--dryrun", "-x", "cu", os.devnull], capture_output=True, text=True, check=False
        )
        homes += re.findall(r"^#\$ TOP=(.+)$", said.stdout + said.stderr, re.MULTILINE)
    places = (Path(home.strip()) / "bin/compute-sanitizer" for home in homes if home)
    return next((str(place) for place in places if place.exists()), None)


def check(
    program: str, tool: str, forms: Sequence[tuple[Form, Path]], device: str = "cuda"
) -> Iterator[tuple[Form, list[str]]]:
    """Run forms under one tool and yield what it said of each; a form that ends the process is passed over.

    Raises `RuntimeError` if the tool runs nothing."""
    rest = list(forms)
    while rest:
        text = _output(program, tool, rest, device)
        parts = re.split(rf"^{BEGIN} \S+$", text, flags=re.MULTILINE)[1:]
        for part, (form, _) in zip(parts, rest, strict=False):
            yield form, [*complaints(part, form), *_death(part)]
        if not parts:
            raise RuntimeError(f"compute-sanitizer {tool} ran no program: {text[-300:].strip()}")
        rest = rest[len(parts) :]


def complaints(text: str, form: Form) -> list[str]:
    """Return the tool's reports that name a kernel of the form, each in one line, equal ones once."""
    kernels = re.findall(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)", form.source)
    own = re.compile(rf"\b({'|'.join(kernels)})\b\s*[(<]")
    blocks = re.split(r"^=========\s*$", text, flags=re.MULTILINE)
    found = [_in_one_line(block) for block in blocks if own.search(block)]
    return list(dict.fromkeys(line for line in found if line))


def _in_one_line(block: str) -> str:
    lines = [line[9:].strip() for line in block.splitlines() if line.startswith("=========")]
    spoken = [
        line for line in lines if line and not line.startswith(("Host Frame", "Saved host", "Device Frame"))
    ]
    # Addresses, threads and blocks differ from report to report.
    return re.sub(r"\+0x[0-9a-f]+", "", " · ".join(spoken[:2]))[:300]


def _death(part: str) -> list[str]:
    return [] if f"\n{END}" in part else ["the process died or hung"]


def _output(program: str, tool: str, forms: Sequence[tuple[Form, Path]], device: str) -> str:
    # Beyond the limit a tool is silent, also of the forms that come later.
    options = ["--tool", tool, "--print-limit", "5000", "--show-backtrace", "no"]
    if tool == "racecheck":
        options += ["--racecheck-report", "analysis"]
    pairs = [str(path) for form, library in forms for path in (form.path, library)]
    command = [program, *options, sys.executable, "-m", "tests.kernels.sanitized", device, *pairs]
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        start_new_session=True,
        errors="replace",
    )
    try:
        return process.communicate(timeout=_SECONDS + _SECONDS_EACH * len(forms))[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]
