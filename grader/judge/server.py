"""A judge in a process of its own, beside a notebook's kernel.

`python -m grader.judge.server FD DEVICE SANDBOX`.

Requests and replies are JSON objects on the socket FD.  A request is
`{"exercise", "answer", "device", "seed"}`; the reply is `{"verdict": ...}`, where checks
also have their `details`, or `{"error": {"kind", "message"}}`.
"""

from __future__ import annotations

import json
import sys
from multiprocessing.connection import Connection
from typing import Any

from grader.exercises import UnknownExerciseError
from grader.judge.answer import Answer
from grader.judge.session import Judge
from grader.verdict import Verdict


def main(arguments: list[str]) -> int:
    """Serve until the peer hangs up.  Starts the nursery for DEVICE at once."""
    descriptor, device, sandbox = arguments
    connection = Connection(int(descriptor))
    with Judge(device, sandbox) as judge:
        import torch  # noqa: F401  (so that the first request need not wait for it)

        while True:
            try:
                request = json.loads(connection.recv_bytes())
            except (EOFError, OSError):
                return 0
            connection.send_bytes(json.dumps(_reply(judge, request)).encode())


def _reply(judge: Judge, request: dict[str, Any]) -> dict[str, Any]:
    try:
        answer = Answer(**request["answer"])
        return {
            "verdict": detailed(judge.judge(request["exercise"], answer, request["device"], request["seed"]))
        }
    except UnknownExerciseError as error:
        return {"error": {"kind": "unknown_exercise", "message": str(error)}}
    except Exception as error:
        return {"error": {"kind": "internal", "message": f"{type(error).__name__}: {error}"}}


def detailed(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict's JSON with each check's details."""
    value = verdict.to_json()
    for check, result in zip(value["checks"], verdict.checks, strict=True):
        check["details"] = list(result.details)
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
