"""Building a package's wheel, and installing one: setup.py runs here, and never in the judge."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

from grader.judge.protocol import Frame
from grader.toolchain.wheels import Kit, build


def reply(header: dict[str, Any]) -> Frame:
    """Build a wheel in the current folder, which is the worker's own, and return it."""
    here = Path.cwd()
    built = build(header["files"], Kit(**header["kit"]), here)
    told = {
        "output": built.output,
        "commands": built.commands,
        "name": built.wheel and built.wheel.name,
        "fault": built.fault,
    }
    return Frame(told, () if built.wheel is None else (built.wheel.read_bytes(),))


def install(wheel: Path, target: Path) -> None:
    """Install a wheel into an empty folder, as pip does.

    pip itself asks after the distribution and its own settings, which a confined worker may not read.
    """
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    for part in target.glob("*.data/*lib"):
        shutil.copytree(part, target, dirs_exist_ok=True)


def imported(module: str, target: Path) -> types.ModuleType:
    """Import a module of an installed package from another folder than its sources'."""
    elsewhere = Path.cwd() / "elsewhere"
    elsewhere.mkdir()
    os.chdir(elsewhere)
    sys.path.insert(0, str(target))
    importlib.invalidate_caches()
    return importlib.import_module(module)
