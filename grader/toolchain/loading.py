"""A built library as a Python module."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import types
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from grader.toolchain import registration

SYMBOLS = ("grader_functions", "grader_functions_cpp")
SIM_LIBRARY = "module.so"
CUDA_LIBRARY = "cuda_module.so"
"""What `build` calls a library that binds itself through our table; PyTorch's own has the module's name."""


def load(library: Path, name: str, docs: Mapping[str, str] | None = None) -> types.ModuleType:
    """Import a library that `build` made; `docs` are docstrings by function.

    A library for the simulator brings the simulator with it.  Each call gives a new module, whose operators
    take the place of an older one's.
    """
    library = Path(library)
    if library.name not in (SIM_LIBRARY, CUDA_LIBRARY):
        return _extension(library, name)
    make = _maker(library.name)
    opened = ctypes.CDLL(str(library), mode=ctypes.RTLD_LOCAL)
    if not any(hasattr(opened, symbol) for symbol in SYMBOLS) or hasattr(opened, f"PyInit_{name}"):
        return _extension(library, name)
    module = types.ModuleType(name)
    module.__file__ = str(library)
    for symbol in SYMBOLS:
        if hasattr(opened, symbol):
            vars(module).update(_functions(opened, symbol, make, docs or {}))
    registration.register(opened, SYMBOLS, name)
    return module


class _Entry(ctypes.Structure):
    """`grader::bind::Entry`, as far as Python reads it."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("parameters", ctypes.c_char_p),
        ("arity", ctypes.c_size_t),
        ("function", ctypes.c_void_p),
        ("call", ctypes.c_void_p),
        ("types", ctypes.c_void_p),
    )


def _functions(opened: ctypes.CDLL, symbol: str, make: Any, docs: Mapping[str, str]) -> dict[str, Any]:
    listed = getattr(opened, symbol)
    listed.restype = ctypes.POINTER(_Entry)
    count = ctypes.c_ulong()
    entries = listed(ctypes.byref(count))
    found = {}
    for index in range(count.value):
        name = entries[index].name.decode()
        function = make(ctypes.byref(entries[index]), docs.get(name, name).encode())
        if function is not None:
            found[name] = function
    return found


def _maker(library: str) -> Any:
    """Return what makes a Python function of an entry; a library for the simulator brings the simulator."""
    make = ctypes.PyDLL(binder(library)).grader_bind_function
    make.argtypes = [ctypes.POINTER(_Entry), ctypes.c_char_p]
    make.restype = ctypes.py_object
    return make


@cache
def binder(library: str) -> str:
    """Return the path of what converts arguments for a library of this name; found once a process."""
    if library == SIM_LIBRARY:
        from grader.simulator import load_runtime
        from grader.simulator.runtime import library as simulator

        load_runtime()
        return simulator()._name
    import torch  # noqa: F401 - the library links against it, and it must be loaded first

    from grader.toolchain import runtime

    return str(runtime.ensure().binding)


def _extension(library: Path, name: str) -> types.ModuleType:
    """Import a library that binds itself through pybind11."""
    import torch  # noqa: F401 - the library links against it, and it must be loaded first

    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
