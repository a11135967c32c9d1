"""`torch.compile` on the device: Inductor is told, when it asks, why it cannot generate kernels for `sim`."""

from __future__ import annotations

from typing import Any, NoReturn

ASKED_FOR = ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen")
"""What Inductor looks for in the module of a device that PyTorch does not know."""

WHY = (
    "torch.compile: Inductor writes kernels for a GPU or for host memory, and the simulator runs neither: "
    "its memory is read by PyTorch's operators and by CUDA C++ kernels. Use torch.compile(..., "
    "backend='aot_eager'), or call the function as it is."
)


class _Refusal(type):
    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(WHY)


class _Refusing(metaclass=_Refusal):
    """Stands where Inductor expects a code generator: whatever it is asked for, it refuses and says why."""

    def __init__(self, *arguments: object, **keywords: object) -> None:
        """Refuse, and say why."""
        raise NotImplementedError(WHY)


def inductor_part(name: str) -> Any:
    """Return what `torch.sim` has under a name that only Inductor asks for."""
    if name not in ASKED_FOR:
        raise AttributeError(f"module 'torch.sim' has no attribute {name!r}")
    from torch._inductor.codegen import common
    from torch._inductor.codegen.cpu_device_op_overrides import CpuDeviceOpOverrides

    # Without one, Inductor fails with KeyError: 'sim' before it meets a code generator.
    common.register_device_op_overrides("sim", CpuDeviceOpOverrides())
    return _Refusing
