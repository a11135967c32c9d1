"""What this machine builds with, found by the judge and told to builds that may look at less of it.

A confined build that looked for itself could find something else (no list of shared libraries, no GPU), and
so make another runtime, which the judge's workers may not read.
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import asdict
from typing import Any

VARIABLE = "GRADER_MACHINE"


def found(device: str) -> str:
    """Return what `told` is to return in a build for `device`.

    Raises `EnvironmentFault` where a compiler is missing.
    """
    from grader.toolchain import toolkit
    from grader.toolchain.compiler import host_compiler, standard_library

    facts: dict[str, Any] = {
        "compiler": asdict(host_compiler()),
        "standard_library": standard_library(),
    }
    if device == "cuda":
        facts |= {"toolkit": asdict(toolkit.find()), "environment": toolkit.environment()}
    return json.dumps(facts)


@functools.cache
def told() -> dict[str, Any]:
    """Return what this process was told of the machine; nothing if it is to look for itself."""
    facts: dict[str, Any] = json.loads(os.environ.get(VARIABLE) or "{}")
    return facts
