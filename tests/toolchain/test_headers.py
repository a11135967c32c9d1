"""The headers generated from PyTorch's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.toolchain import EnvironmentFault, headers
from grader.toolchain.torch_install import TorchInstall, installed

KEYS = """#define C10_FORALL_BACKEND_COMPONENTS(_, extra) \\
  _(CUDA, extra)                                \\
  _(PrivateUse1, extra)

enum class DispatchKey : uint16_t {
  AutocastCUDA,
  AutocastPrivateUse1,
};
"""


def test_device_numbers_are_exchanged() -> None:
    """CUDA has PrivateUse1's number and the other way round; nothing else changes."""
    text = (installed().include / "torch/headeronly/core/DeviceType.h").read_text()
    changed = headers.exchange_device_type(text)
    assert re.search(r"\bCUDA = 20,", changed)
    assert re.search(r"\bPrivateUse1 = 1,", changed)
    assert headers.exchange_device_type(changed) == text


def test_dispatch_keys_are_exchanged() -> None:
    """Backends and autocast keys change places in the order that decides their numbers."""
    changed = headers.exchange_dispatch_key(KEYS)
    assert changed.index("_(PrivateUse1") < changed.index("_(CUDA")
    assert changed.index("AutocastPrivateUse1") < changed.index("AutocastCUDA")


@pytest.mark.parametrize("gone", ["_(CUDA, extra)", "AutocastCUDA,", "enum class DispatchKey"])
def test_an_unknown_header_is_refused(gone: str, tmp_path: Path) -> None:
    """A PyTorch whose header looks different is refused by name, never patched by half."""
    include = tmp_path / "torch/include"
    for name, text in (
        ("c10/core/DispatchKey.h", KEYS.replace(gone, "")),
        ("c10/core/DeviceType.h", "enum class DeviceType : int8_t {\n  CUDA = 1,\n  PrivateUse1 = 20,\n};\n"),
    ):
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_text(text)
    install = TorchInstall(tmp_path / "torch", "9.9", None, "c++20")
    with pytest.raises(EnvironmentFault, match=r"9\.9.*DispatchKey\.h"):
        headers.write(install, tmp_path / "out")


def test_factories_are_taken_one_by_one() -> None:
    """Each torch:: factory keeps its text, without autograd's headers."""
    text = (installed().include / "torch/csrc/autograd/generated/variable_factories.h").read_text()
    found = headers.factories(text)
    assert set(headers.COMMON) <= set(found)
    assert "autograd::" not in found["empty"]
    assert found["from_blob"].count("inline at::Tensor from_blob(") == 4


def test_autograd_functions_lose_what_only_compiled_backward_calls() -> None:
    """The four parts that make every C++ function's node slow to compile are gone, and nothing else."""
    text = (installed().include / "torch/csrc/autograd/custom_function.h").read_text()
    changed = headers.without_compiled_autograd(text)
    gone = ("compiled_autograd.h", "PackedArgs(args)", "CompiledNodeArgs& args", "SwapSavedVariables& saved")
    for name in gone:
        assert name in text
        assert name not in changed
    assert "T::backward(&ctx_, backward_inputs)" in changed
    assert len(changed) > 0.7 * len(text)


def test_unknown_custom_function_is_left_alone() -> None:
    """A header of another version is refused, so that PyTorch's own is used."""
    with pytest.raises(headers._PatternError):
        headers.without_compiled_autograd("struct CppNode {};")
