"""nvcc and c++ as a package's build calls them: `standin.py KIT TOOL ARGS...`, run as a file.

Every compilation's command is noted in the kit's directory.  On `cuda` the real compiler then takes over; on
`sim`, `simulated` does the work.  Only the standard library is imported before that is known: on a GPU
nothing else of ours is needed here.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COMMANDS, SETTINGS, SOURCES = "commands.jsonl", "kit.json", "source"
_SUFFIXES = (".cu", ".cpp", ".cc", ".cxx", ".c")


def main(arguments: Sequence[str]) -> int:
    """Do what a compiler would."""
    directory, tool, words = Path(arguments[0]), arguments[1], list(arguments[2:])
    settings = json.loads((directory / SETTINGS).read_text())
    source = next((word for word in words if word.endswith(_SUFFIXES) and not word.startswith("-")), None)
    compiles = source is not None and any(word in ("-c", "--compile", "-dc") for word in words)
    if compiles:
        note(directory, {"tool": tool, "source": source, "arguments": words})
    if settings["device"] != "sim":
        command = real(tool, settings, words)
        os.execv(command[0], command)
    try:
        from grader.toolchain.wheels import simulated

        return simulated.act(settings, directory, tool, words, source if compiles else None)
    except Exception:
        note(directory, {"fault": traceback.format_exc(limit=6)[-3000:]})
        raise


def note(directory: Path, what: dict[str, object]) -> None:
    """Add a line to what is known of the build."""
    with open(directory / COMMANDS, "a") as file:
        file.write(json.dumps(what) + "\n")


def real(tool: str, settings: dict[str, Any], words: Sequence[str]) -> list[str]:
    """Return the command for the real compiler.

    Code for the device is left as it is, to be looked at, and nvcc's host compiler is not the stand-in: what
    nvcc asks of it is no command of the package's.
    """
    if tool != "nvcc":
        return [settings["compiler"], *words]
    pairs = zip(["", *words], words, strict=False)
    replaced = [settings["compiler"] if before == "-ccbin" else word for before, word in pairs]
    return [settings["nvcc"], "--no-compress", *replaced]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
