"""The installed PyTorch, as a compiler sees it, without importing it."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grader.toolchain.errors import EnvironmentFault


@dataclass(frozen=True)
class TorchInstall:
    """Where PyTorch is and what it asks of a compiler."""

    root: Path
    version: str
    cuda: str | None
    standard: str
    """The C++ standard that its headers need, as in `c++20`."""

    @property
    def include(self) -> Path:
        """The directory of its headers."""
        return self.root / "include"

    @property
    def libraries(self) -> Path:
        """The directory of its shared libraries."""
        return self.root / "lib"

    def include_flags(self) -> list[str]:
        """Return the flags that make its headers known."""
        api = self.include / "torch/csrc/api/include"
        return [f"-isystem{self.include}", f"-isystem{api}"]


@cache
def installed() -> TorchInstall:
    """Return the PyTorch that this interpreter would import."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise EnvironmentFault("PyTorch is not installed in this environment. Install it: pip install torch")
    root = Path(spec.origin).parent
    text = (root / "version.py").read_text()
    version = re.search(r"__version__ = '([^']+)'", text)
    cuda = re.search(r"^cuda[^=\n]*= '([^']+)'", text, re.MULTILINE)
    if version is None:
        raise EnvironmentFault(f"The PyTorch in {root} does not say its version. Install it again.")
    return TorchInstall(root, version[1], cuda[1] if cuda else None, _standard(root))


def _standard(root: Path) -> str:
    text = (root / "utils/cpp_extension.py").read_text()
    found = re.findall(r"-std=(c\+\+\d+)", text)
    return max(found) if found else "c++17"


def cpp_extension() -> Any:
    """Return PyTorch's own module for building; it takes a second to import, and its functions lack types."""
    return importlib.import_module("torch.utils.cpp_extension")


def python_include() -> Path:
    """Return the directory of Python.h."""
    include = Path(sysconfig.get_path("include"))
    if not (include / "Python.h").exists():
        raise EnvironmentFault(
            f"Python.h is not in {include}. Install Python's development headers, on Debian and Ubuntu: "
            "sudo apt install python3-dev"
        )
    return include
