"""Loading an answer: the compiled module as `kernels`, and the Python cell as a module that can import it.

Operators that the compiled module registers with PyTorch are listed beside its functions, as `ops.NAME`.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from grader.judge.worker import packaging
from grader.simulator import symbols

PYTHON_FILE = "<answer>"


class Answer:
    """The learner's functions, and in Python dicts too, by name: `kernels.f` and `answer.g`."""

    def __init__(self, device: torch.device, seal: Callable[[], None] | None = None) -> None:
        """Hold nothing yet.  `seal` is called before anything of the answer runs."""
        self.device, self._seal = device, seal
        self.modules: dict[str, types.ModuleType] = {}
        self.operators: list[str] = []

    def load(self, header: dict[str, Any]) -> dict[str, Any]:
        """Import the library; return the functions or the error."""
        if self._seal is not None and self.device.type != "cuda":
            symbols.look_up_ahead(header["library"])
        self._sealed()
        return self._loaded("kernels", lambda: self._kernels(header["library"], header["name"]))

    def define(self, header: dict[str, Any]) -> dict[str, Any]:
        """Run the Python text, which may use the library; return the functions of both or the error."""
        self._sealed()
        return self._loaded("answer", lambda: self._python(header["python"]))

    def install(self, header: dict[str, Any]) -> dict[str, Any]:
        """Install a wheel into an empty folder and import its extension module from another; as `load`."""
        return self._loaded("package", lambda: self._package(Path(header["wheel"]), header["module"]))

    def _package(self, wheel: Path, module: str) -> types.ModuleType:
        target = Path.cwd() / "installed"
        packaging.install(wheel, target)
        if self._seal is not None and self.device.type != "cuda":
            for library in target.rglob("*.so"):
                symbols.look_up_ahead(str(library))
        self._sealed()
        return packaging.imported(module, target)

    def _sealed(self) -> None:
        if self._seal is not None:
            self._seal()
            self._seal = None

    def _loaded(self, name: str, make: Callable[[], types.ModuleType]) -> dict[str, Any]:
        try:
            self.modules[name] = make()
        except BaseException as error:
            return {"error": {"phase": name, **describe(error)}, "functions": {}}
        return {"error": None, "functions": self._functions()}

    def _kernels(self, library: str, name: str) -> types.ModuleType:
        from grader import toolchain

        before = set(torch._C._dispatch_get_all_op_names())
        module: types.ModuleType = toolchain.load(Path(library), name)
        self.operators = sorted(set(torch._C._dispatch_get_all_op_names()) - before)
        sys.modules["kernels"] = module
        return module

    def _python(self, text: str) -> types.ModuleType:
        # torch.compile and pickling look a function's module up by name.
        module = types.ModuleType("answer")
        sys.modules["answer"] = module
        vars(module).update(torch=torch, device=self.device)
        if "kernels" in self.modules:
            vars(module).update(kernels=self.modules["kernels"])
        linecache.cache[PYTHON_FILE] = (len(text), None, text.splitlines(keepends=True), PYTHON_FILE)
        exec(compile(text, PYTHON_FILE, "exec"), vars(module))
        return module

    def _functions(self) -> dict[str, str]:
        found = {f"ops.{name}": "" for name in self.operators}
        for prefix, module in self.modules.items():
            for name, value in vars(module).items():
                if (callable(value) or isinstance(value, dict)) and not name.startswith("_"):
                    found[f"{prefix}.{name}"] = _signature(value)
        return found

    def function(self, target: str) -> Any:
        """Return the function that the judge names."""
        prefix, name = target.split(".")
        if prefix == "ops":
            namespace, operator = name.split("::")
            return getattr(getattr(torch.ops, namespace), operator)
        return getattr(self.modules[prefix], name)


def _signature(function: Any) -> str:
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return (function.__doc__ or "").strip().split("\n")[0][:200]


def describe(error: BaseException) -> dict[str, Any]:
    """Return the type, message and line in the Python cell of an exception."""
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PYTHON_FILE
    ]
    if isinstance(error, SyntaxError) and error.filename == PYTHON_FILE:
        lines.append(error.lineno)
    return {"type": type(error).__name__, "message": str(error)[:4000], "line": lines[-1] if lines else None}
