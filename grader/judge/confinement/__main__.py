"""`python -m grader.judge.confinement POLICY MODULE`: run a module under a policy, given as JSON."""

from __future__ import annotations

import importlib
import json
import runpy
import sys

from grader.judge.confinement import Policy, confine


def main(arguments: list[str]) -> None:
    """Confine this process, then become the module."""
    policy, module = arguments
    importlib.import_module(module)  # the package's own directory cannot be listed afterwards
    confine(Policy.from_json(json.loads(policy)))
    sys.argv[1:] = []
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
