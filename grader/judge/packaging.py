"""A package's sources to a wheel that the judge keeps: built by a worker, once for each text."""

from __future__ import annotations

import json
import sys
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.judge.faults import EnvironmentFault, WorkerLostError
from grader.toolchain import cache, machine_faults
from grader.toolchain.locks import locked

if TYPE_CHECKING:
    from grader.judge.processes import Nursery

_SECONDS = {"sim": 400.0, "cuda": 580.0}
_WHEEL_BYTES = 64 << 20
_LINE_TABLE = b".nv_debug_line_sass"
"""The section of a device's code that says which line each instruction comes from."""


def wheel(files: Mapping[str, str], kind: str, nursery: Callable[[], Nursery]) -> dict[str, Any]:
    """Return what came of building: `wheel` (a path, or None), `output`, `commands` and `seconds`.

    `nursery` gives the parent of the worker that builds, where that is not found built.

    Raises `EnvironmentFault` if the machine cannot build, `WorkerLostError` if setup.py ended the worker.
    """
    from grader.toolchain.wheels import Kit

    started = time.monotonic()
    kit = Kit.find(kind)
    place = cache.root() / "wheels" / _key(files, kit.to_json())
    with cache.writing(cache.root()), locked(cache.lock_path(place.name)):
        result = _kept(place) or _made(files, kit.to_json(), nursery(), place)
    return {**result, "seconds": time.monotonic() - started}


def has_line_table(path: str) -> bool:
    """Whether code for a device in a wheel says which lines it comes from."""
    with zipfile.ZipFile(path) as archive:
        return any(
            _LINE_TABLE in archive.read(one)
            for one in archive.infolist()
            if one.filename.endswith(".so") and one.file_size < 4 * _WHEEL_BYTES
        )


def _key(files: Mapping[str, str], kit: Mapping[str, Any]) -> str:
    from grader.toolchain import toolkit
    from grader.toolchain.torch_install import installed

    # Whatever the toolchain does with a file decides what is in the wheel.
    texts = [path.read_text() for path in sorted(Path(str(toolkit.__file__)).parent.rglob("*.py"))]
    # PyTorch compiles for the GPUs that it finds: a cache that machines share holds wheels of several.
    where = toolkit.environment() if kit["device"] == "cuda" else []
    parts = [json.dumps([sorted(files.items()), kit]), sys.version, installed().version, *where, *texts]
    return cache.key(parts)


def _kept(place: Path) -> dict[str, Any] | None:
    try:
        result: dict[str, Any] = json.loads((place / "result.json").read_text())
    except (OSError, ValueError):
        return None
    cache.used(place)
    found = result["name"] and place / result["name"]
    return {**result, "wheel": str(found)} if found and found.exists() else None


def _made(files: Mapping[str, str], kit: dict[str, Any], nursery: Nursery, place: Path) -> dict[str, Any]:
    """Have a worker of its own build; keep what worked."""
    from grader.judge.protocol import Frame

    worker = nursery.fork()
    try:
        reply = worker.ask(Frame({"op": "wheel", "files": dict(files), "kit": kit}), _SECONDS[nursery.kind])
    finally:
        worker.end()
    result = _read(reply.header, reply.buffers)
    if result["name"] is None:
        if fault := reply.header.get("fault"):
            last = str(fault).strip().splitlines()[-1][:300]
            raise EnvironmentFault(
                f"The compilers of packages could not be used: {last}. Run `grader doctor`."
            )
        machine_faults.check(result["output"])
        return {**result, "wheel": None}
    place.parent.mkdir(parents=True, exist_ok=True)
    with cache.scratch(place.parent) as directory:
        (directory / result["name"]).write_bytes(reply.buffers[0])
        (directory / "result.json").write_text(json.dumps(result))
        cache.publish(directory, place)
    cache.prune(place.parent)
    return {**result, "wheel": str(place / result["name"])}


def _read(header: Mapping[str, Any], buffers: Sequence[Any]) -> dict[str, Any]:
    """Return a worker's reply, checked; raise `WorkerLostError` for anything odd."""
    name, output, commands = header.get("name"), header.get("output"), header.get("commands")
    if "broken" in header or not isinstance(output, str) or not isinstance(commands, list):
        raise WorkerLostError("malformed", f"sent a malformed result ({str(header.get('broken'))[-300:]})")
    is_name = isinstance(name, str) and name.endswith(".whl") and "/" not in name and len(name) < 200
    if not (name is None or (is_name and len(buffers) == 1 and len(buffers[0]) <= _WHEEL_BYTES)):
        raise WorkerLostError("malformed", "sent no wheel")
    return {"name": name, "output": output, "commands": [_command(one) for one in commands[:1000]]}


def _command(value: Any) -> dict[str, Any]:
    """Return a compiler's command, or the constructs that a file needs a GPU for."""
    if not isinstance(value, dict):
        raise WorkerLostError("malformed", "sent a malformed command")
    if isinstance(value.get("missing"), list):
        return {"missing": [one for one in value["missing"] if isinstance(one, dict)]}
    words = value.get("arguments")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WorkerLostError("malformed", "sent a malformed command")
    return {"tool": str(value.get("tool")), "source": str(value.get("source")), "arguments": words}
