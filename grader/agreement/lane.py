"""A lane judges one submission after another in a process of its own: one JSON object a line, in and out.

In: `{"exercise", "cuda", "python", "files", "device", "seed"}`.
Out: `{"verdict": JSON}` or `{"error": text}`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import IO, Any


def main() -> int:
    """Serve until standard input ends.  What anything prints meanwhile goes to standard error."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, replies)
    return 0


def serve(tasks: IO[str], replies: IO[str]) -> None:
    """Judge each task with one warm judge."""
    from grader.judge import Judge

    with Judge() as judge:
        for line in tasks:
            replies.write(json.dumps(_reply(judge, json.loads(line))) + "\n")
            replies.flush()


def _reply(judge: Any, task: dict[str, Any]) -> dict[str, Any]:
    from grader.judge import Answer

    try:
        answer = Answer(cuda=task["cuda"], python=task["python"], files=task.get("files"))
        verdict = judge.judge(task["exercise"], answer, device=task["device"], seed=task["seed"])
        return {"verdict": verdict.to_json()}
    except Exception:
        return {"error": traceback.format_exc(limit=12)}


if __name__ == "__main__":
    sys.exit(main())
