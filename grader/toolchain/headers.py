"""The headers that are generated from the installed PyTorch: `sim` under CUDA's names, and lean factories."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

from grader.toolchain.errors import EnvironmentFault
from grader.toolchain.torch_install import TorchInstall

PACKAGE_HEADERS = Path(__file__).parent / "include"
COMMON = [
    "empty",
    "empty_like",
    "empty_strided",
    "zeros",
    "zeros_like",
    "ones",
    "ones_like",
    "full",
    "full_like",
    "from_blob",
]
"""Operators that the lean precompiled header declares; others are included when the source names them."""

_DEVICE_TYPE = ("torch/headeronly/core/DeviceType.h", "c10/core/DeviceType.h")
_DISPATCH_KEY = "c10/core/DispatchKey.h"
_CUSTOM_FUNCTION = "torch/csrc/autograd/custom_function.h"
_ACCESSORS = ("torch/headeronly/core/TensorAccessor.h", "ATen/core/TensorAccessor.h")


class _PatternError(Exception):
    """A header of PyTorch does not look as expected."""


def write(install: TorchInstall, directory: Path) -> None:
    """Write `exchanged/` and `generated/` under `directory`, and what can be narrowed."""
    exchanged, generated = directory / "exchanged", directory / "generated/grader"
    (generated / "factories").mkdir(parents=True)
    holder = next((name for name in _DEVICE_TYPE if _has_enum(install.include / name)), _DEVICE_TYPE[0])
    _patch(install, exchanged, holder, exchange_device_type)
    _patch(install, exchanged, _DISPATCH_KEY, exchange_dispatch_key)
    for name in _ACCESSORS:
        _patch(install, exchanged, name, always_restrict)
    _write_factories(install, generated)
    with contextlib.suppress(EnvironmentFault):
        # Saves half of the time to build a C++ autograd function.  Versions without the pattern are slower.
        _patch(install, directory / "narrow", _CUSTOM_FUNCTION, without_compiled_autograd)
    _patch(install, generated.parent, "torch/csrc/api/include/torch/types.h", type_names, "grader/names.h")


def _has_enum(path: Path) -> bool:
    return path.exists() and "enum class DeviceType" in path.read_text()


def _patch(
    install: TorchInstall, directory: Path, name: str, change: Callable[[str], str], target: str | None = None
) -> None:
    source = install.include / name
    try:
        text = change(source.read_text())
    except (OSError, _PatternError) as error:
        raise EnvironmentFault(
            f"PyTorch {install.version} has a {name} that the simulator does not know ({error}). "
            "Install a version from 2.11 to 2.14."
        ) from error
    path = directory / (target or name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _swap(text: str, first: str, second: str, within: str) -> str:
    """Exchange two patterns, each of which must stand exactly once in the part that `within` matches."""
    part = re.search(within, text, re.DOTALL)
    if part is None:
        raise _PatternError(f"no {within.split('(')[0].strip()}")
    body = part.group()
    for pattern in (first, second):
        if len(re.findall(pattern, body)) != 1:
            raise _PatternError(f"{pattern} does not stand there once")
    one, two = re.search(first, body), re.search(second, body)
    assert one
    assert two
    (a, b), (c, d) = one.span(1), two.span(1)
    swapped = body[:a] + two[1] + body[b:c] + one[1] + body[d:]
    return text[: part.start()] + swapped + text[part.end() :]


def exchange_device_type(text: str) -> str:
    """Exchange the numbers of `DeviceType::CUDA` and `DeviceType::PrivateUse1`."""
    enum = r"enum class DeviceType\b.*?\n\};"
    return _swap(text, r"\bCUDA = (\d+),", r"\bPrivateUse1 = (\d+),", enum)


def exchange_dispatch_key(text: str) -> str:
    """Exchange CUDA and PrivateUse1 among the backends, and their autocast keys."""
    backends = r"#define C10_FORALL_BACKEND_COMPONENTS\(.*?\n\n"
    text = _swap(text, r"_\((CUDA), extra\)", r"_\((PrivateUse1), extra\)", backends)
    keys = r"enum class DispatchKey\b.*?\n\};"
    return _swap(text, r"\n  (AutocastCUDA),", r"\n  (AutocastPrivateUse1),", keys)


def always_restrict(text: str) -> str:
    """Declare `RestrictPtrTraits` for every compiler; PyTorch does so for nvcc only."""
    changed, count = re.subn(r"#if defined\(__CUDACC__\) \|\| defined\(__HIPCC__\)", "#if 1", text)
    if count == 0 or "RestrictPtrTraits" not in text:
        raise _PatternError("no RestrictPtrTraits for nvcc only")
    return changed


def without_compiled_autograd(text: str) -> str:
    """Return `custom_function.h` without what `torch.compile` of a backward would call.

    Every function's node instantiates that: twice as much code as all the rest of it.
    """
    parts = (
        r"#include <torch/csrc/dynamo/compiled_autograd\.h>\n",
        r"template <typename T>\ninline variable_list CppNode_apply_functional_ivalue\(.*?\n\}\n",
        r"  void compiled_args\(CompiledNodeArgs& args\) const override \{.*?\n  \}\n",
        r"  variable_list apply_with_saved\(.*?\n  \}\n",
    )
    for part in parts:
        text, count = re.subn(part, "", text, flags=re.DOTALL)
        if count != 1:
            raise _PatternError(f"{part} does not stand there once")
    return text


def type_names(text: str) -> str:
    """Keep the names of `torch/types.h`, without what it includes."""
    kept = "\n".join(line for line in text.split("\n") if not line.startswith("#include"))
    if "using namespace at" not in kept or "kFloat32" not in kept:
        raise _PatternError("no dtype names")
    return f"#include <ATen/core/Tensor.h>\n#include <optional>\n{kept}"


def factories(text: str) -> dict[str, str]:
    """Return the text of each `torch::` factory by name, from `variable_factories.h`."""
    found: dict[str, str] = {}
    for match in re.finditer(r"^inline at::Tensor (\w+)\(.*?^\}\n", text, re.DOTALL | re.MULTILINE):
        body = match.group().replace("autograd::make_variable(", "::grader::variable(")
        body = re.sub(r"^.*NoTracerDispatchMode.*\n", "", body, flags=re.MULTILINE)
        found[match[1]] = found.get(match[1], "") + body
    return found


def _write_factories(install: TorchInstall, directory: Path) -> None:
    source = install.include / "torch/csrc/autograd/generated/variable_factories.h"
    found = factories(source.read_text()) if source.exists() else {}
    absent = [name for name in COMMON if name not in found]
    if absent:
        raise EnvironmentFault(f"PyTorch {install.version} has no torch::{absent[0]} where it is expected.")
    for name, text in found.items():
        if (install.include / f"ATen/ops/{name}.h").exists():
            (directory / "factories" / f"{name}.h").write_text(_factory(name, text))
    lines = [f"#include <grader/factories/{name}.h>" for name in COMMON]
    (directory / "common_operators.h").write_text("\n".join(["#pragma once", *lines, ""]))


def _factory(name: str, text: str) -> str:
    includes = ["functional", f"ATen/ops/{name}.h", "grader/variable.h"]
    if "TensorDataContainer" in text:
        includes.append("torch/detail/TensorDataContainer.h")
    head = "".join(f"#include <{path}>\n" for path in includes)
    names = "using Deleter = std::function<void(void*)>;\nusing at::MemoryFormat;\n"
    return f"#pragma once\n{head}namespace torch {{\n{names}{text}}}  // namespace torch\n"
