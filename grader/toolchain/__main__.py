"""`python -m grader.toolchain`: a request as JSON on standard input, its result on standard output."""

from __future__ import annotations

import json
import os
import sys

from grader.toolchain import BuildRequest, EnvironmentFault, build
from grader.toolchain.progress import shown


def main() -> int:
    """Answer one request; `fault` in the answer is what the machine lacks."""
    # Whatever a compiler's driver prints must not stand in the answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        request = BuildRequest.from_json(json.load(sys.stdin))
        with shown(sys.stderr) as watcher:
            answer = build(request, watcher).to_json()
    except EnvironmentFault as fault:
        answer = {"ok": False, "fault": str(fault), "diagnostics": [], "functions": [], "missing": []}
    with os.fdopen(answers, "w") as out:
        json.dump(answer, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
