"""PyTorch's own tests of an operator, and what its fake kernel promises."""

from __future__ import annotations

from typing import Any

import torch

from grader.judge.protocol import Frame, Step
from grader.judge.worker.answer import describe
from grader.judge.worker.calls import Execution
from grader.judge.worker.devices import Device

PASSED = ""


def reply(step: Step, device: Device, operator: Any) -> Frame:
    """Return what each test of `torch.library.opcheck` says of the step's first call."""
    arguments = Execution(step, device, operator).arguments()
    try:
        found = torch.library.opcheck(operator, arguments, raise_exception=False)
        tests = [[name, PASSED if said == "SUCCESS" else _told(said)] for name, said in found.items()]
        return Frame({"error": None, "tests": tests, "fake": _promised(operator, arguments)})
    except BaseException as error:
        return Frame(
            {"error": {"phase": "call", "call": 0, **describe(error)}, "tests": [], "fake": _NOTHING}
        )


_NOTHING = {"shape": [], "stride": [], "dtype": ""}


def _told(said: Any) -> str:
    """Return a failed test's exception in words."""
    return f"{type(said).__name__}: {said}"[:4000] if isinstance(said, BaseException) else str(said)[:4000]


def _promised(operator: Any, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Return the form of the result that the operator gives for tensors without memory."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        fakes = [mode.from_tensor(one) if isinstance(one, torch.Tensor) else one for one in arguments]
        try:
            result = operator(*fakes)
        except Exception:  # the tests above have said so
            return _NOTHING
    if not isinstance(result, torch.Tensor):
        return _NOTHING
    return {
        "shape": list(result.shape),
        "stride": list(result.stride()),
        "dtype": str(result.dtype).removeprefix("torch."),
    }
