"""Doing one step: place fresh inputs, call the answer, and look at everything that it left behind."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch

from grader.judge.protocol import Frame, Packer, Placed, Step
from grader.judge.worker.answer import describe
from grader.judge.worker.devices import Device
from grader.judge.worker.operators import OperatorLog


@dataclass
class Input:
    """A tensor argument.  `source` and `flat` are whole storages; `view` is what the answer gets."""

    source: torch.Tensor
    flat: torch.Tensor
    view: torch.Tensor
    like: torch.Tensor
    """The view's geometry: the tensor on the CPU that it was made from."""

    def produce(self) -> None:
        """Write the real values, as work on the current stream."""
        self.flat.copy_(self.source, non_blocking=True)

    def changed(self) -> torch.Tensor:
        """Return what lies where the view was at the call, whatever the answer made of the view."""
        return self.flat.as_strided(self.like.shape, self.like.stride(), self.like.storage_offset())


@dataclass
class Call:
    """One call's arguments and, later, its results."""

    arguments: list[Any]
    inputs: list[Input]
    stream: torch.Stream
    outputs: list[torch.Tensor] = field(default_factory=list)
    early: list[torch.Tensor] = field(default_factory=list)
    structure: str = "none"


class StepFailedError(Exception):
    """The answer's fault, seen in `phase`: `call`, `backward` or `finish`."""

    def __init__(self, phase: str, call: int, cause: BaseException) -> None:
        """Keep what to tell the judge."""
        super().__init__(phase)
        self.report = {"phase": phase, "call": call, **describe(cause)}


class Execution:
    """A step being executed on a device."""

    def __init__(self, step: Step, device: Device, function: Callable[..., Any]) -> None:
        """Remember what to do; nothing runs yet."""
        self.step, self.device, self.function = step, device, function
        self.place = torch.device(device.kind, step.device)
        self.streams: dict[str, torch.Stream] = {}
        self.launches: list[dict[str, Any]] = []
        self.operators: list[str] = []
        self.gradient: Input | None = None
        self.device_after = step.device
        self.gradients: list[torch.Tensor | None] = []

    def run(self) -> Frame:
        """Execute the step and return the reply."""
        torch.accelerator.set_device_index(self.step.device)
        bytes_before = self._bytes_in_use()
        calls = [self._prepare(index, values) for index, values in enumerate(self.step.calls)]
        if self.step.gradient is not None:
            self.gradient = self._input(self.step.gradient, self.place, produced=False)
        self._settle(calls)
        error = None
        try:
            self._act(calls)
        except StepFailedError as failure:
            error = failure.report
        evidence = {**self._evidence(), "bytes_before": bytes_before}
        return self._reply(calls, error, evidence)

    def arguments(self) -> tuple[Any, ...]:
        """Return the first call's arguments, fresh on the device, and run nothing."""
        torch.accelerator.set_device_index(self.step.device)
        return tuple(self._prepare(0, self.step.calls[0]).arguments)

    def _bytes_in_use(self) -> int:
        """Return the device memory that earlier steps left behind: nothing of this one is there yet."""
        if not self.step.measure:
            return 0
        gc.collect()
        torch.accelerator.synchronize(self.step.device)
        return self.device.bytes_in_use()

    def _prepare(self, index: int, values: tuple[Any, ...]) -> Call:
        inputs: list[Input] = []
        arguments = [self._argument(position, value, inputs) for position, value in enumerate(values)]
        return Call(arguments, inputs, self._stream(self.step.stream_of(index)))

    def _argument(self, position: int, value: Any, inputs: list[Input]) -> Any:
        if isinstance(value, list):
            return [self._argument(position, item, inputs) for item in value]
        if isinstance(value, Placed):
            place = (
                torch.device("cpu") if value.on == "cpu" else torch.device(self.device.kind, int(value.on))
            )
            inputs.append(self._input(value.tensor, place, produced=False))
        elif isinstance(value, torch.Tensor):
            inputs.append(self._input(value, self.place, self.step.produce))
        else:
            return value
        view = inputs[-1].view
        wanted = self.step.differentiate
        return view.requires_grad_() if wanted and wanted[position] else view

    def _input(self, tensor: torch.Tensor, place: torch.device, produced: bool) -> Input:
        flat = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
        source = flat.to(place, copy=True)
        target = _poisoned(flat).to(place, copy=True) if produced else source
        view = target.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).detach()
        return Input(source, target, view, tensor)

    def _stream(self, name: str) -> torch.Stream:
        if name not in self.streams:
            default = torch.accelerator.current_stream(self.step.device)
            self.streams[name] = default if name == "default" else torch.Stream(device=self.place)
        return self.streams[name]

    def _settle(self, calls: list[Call]) -> None:
        """Leave nothing pending, no error, no log, and no foreign value in free memory."""
        self._stream("default")
        torch.accelerator.synchronize(self.step.device)
        sizes = sorted({item.flat.untyped_storage().nbytes() for call in calls for item in call.inputs} - {0})
        self.device.poison(sizes, list(self.streams.values()))
        if self.step.busy and self.device.kind == "cuda":
            self._warm_up(calls)
        torch.accelerator.synchronize(self.step.device)
        eager = not (self.step.busy or self.step.produce)
        self.device.begin(self.step.kernels_enabled, eager, self.step.order)

    def _warm_up(self, calls: list[Call]) -> None:
        """Call once on every stream: a first call's load time would hide a race."""
        for stream in self.streams.values():
            with stream:
                copies = [_cloned(value) for value in calls[0].arguments]
                try:
                    self.function(*copies)
                except Exception:
                    return
        torch.accelerator.synchronize(self.step.device)
        sizes = sorted({item.flat.untyped_storage().nbytes() for call in calls for item in call.inputs} - {0})
        self.device.poison(sizes, list(self.streams.values()))

    def _act(self, calls: list[Call]) -> None:
        watching = OperatorLog() if self.step.watch else None
        with self.device.profiled(self.step.profile, self.launches):
            for name in self.step.busy:
                self.device.stall(self._stream(name))
            for index, call in enumerate(calls):
                with call.stream, self._blamed("call", index):
                    self._call(call, watching)
            if self.gradient is not None:
                with calls[0].stream, self._blamed("backward", 0):
                    self._backward(calls, watching)
            if self.step.busy or self.step.produce:
                self._read_early(calls)
        with self._blamed("finish", len(calls) - 1):
            self._finish()
        self.operators = watching.names if watching else []

    @contextmanager
    def _blamed(self, phase: str, call: int) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            raise StepFailedError(phase, call, error) from error

    def _call(self, call: Call, watching: OperatorLog | None) -> None:
        if self.step.produce:
            for item in call.inputs:
                item.produce()
        current = self.step.device if self.step.current is None else self.step.current
        torch.accelerator.set_device_index(current)
        try:
            with watching or nullcontext():
                result = self.function(*call.arguments)
            self.device_after = torch.accelerator.current_device_index()
        finally:
            torch.accelerator.set_device_index(self.step.device)
        self._take(call, result)

    def _take(self, call: Call, result: Any) -> None:
        """Keep what a call gave: what it returned, or the tensor that it was asked to change."""
        call.structure, call.outputs = results(result)
        if self.step.in_place is not None and result is None:
            call.structure, call.outputs = "in place", [call.inputs[self.step.in_place].changed()]

    def _backward(self, calls: list[Call], watching: OperatorLog | None) -> None:
        assert self.gradient is not None
        total = calls[0].outputs[0]
        for call in calls[1:]:
            total = total + call.outputs[0]
        wanted = [
            value
            for call in calls
            for value, flag in zip(call.arguments, self.step.differentiate, strict=True)
            if flag
        ]
        with watching or nullcontext():
            found = torch.autograd.grad(total, wanted, self.gradient.view, allow_unused=True)
        self.gradients = list(found)

    def _read_early(self, calls: list[Call]) -> None:
        """Read each result in its own stream's order, before anything else has been waited for."""
        for index, call in enumerate(calls):
            with call.stream, self._blamed("finish", index):
                call.early = [output.detach().cpu() for output in call.outputs]

    def _finish(self) -> None:
        """Make late errors surface: a launch error at the next operation, a fault at a synchronisation."""
        torch.zeros(1, device=self.place).fill_(1)
        for index in range(torch.accelerator.device_count()):
            torch.accelerator.synchronize(index)

    def _evidence(self) -> dict[str, Any]:
        try:
            evidence = self.device.evidence()
        except Exception as error:
            return {"reports": [], "launches": [], "lost": describe(error)}
        evidence["launches"] = [*evidence["launches"], *self.launches]
        return evidence

    def _reply(self, calls: list[Call], error: dict[str, Any] | None, evidence: dict[str, Any]) -> Frame:
        packer = Packer()
        header = {
            "error": error,
            "operators": self.operators,
            "device_after": self.device_after,
            "calls": [self._describe_call(call, calls, packer) for call in calls],
            "gradients": [None if item is None else _pack(item, packer) for item in self.gradients],
            "gradient_after": None if self.gradient is None else _pack(self.gradient.flat, packer),
            **evidence,
        }
        # Last of all: a result may compute when it is read.
        header["device_operators"] = self.device.operators() if self.step.watch else []
        return Frame(header, tuple(packer.buffers))

    def _describe_call(self, call: Call, calls: list[Call], packer: Packer) -> dict[str, Any]:
        others = [(f"call {index}", output) for index, other in enumerate(calls) if other is not call
                  for output in other.outputs]  # fmt: skip
        named = [(f"input {index}", item.flat) for index, item in enumerate(call.inputs)] + others
        return {
            "structure": call.structure,
            "outputs": [_describe_output(output, named, packer) for output in call.outputs],
            "early": [_pack(output, packer) for output in call.early],
            "inputs": [_pack(item.flat, packer) for item in call.inputs],
        }


def results(result: Any) -> tuple[str, list[torch.Tensor]]:
    """Return what kind of result a call gave, and its tensors.  Subclasses of Tensor are none."""
    if type(result) is torch.Tensor:
        return "tensor", [result]
    if isinstance(result, (tuple, list)) and all(type(item) is torch.Tensor for item in result):
        return "tuple", list(result)
    return ("none" if result is None else type(result).__name__), []


def _describe_output(
    output: torch.Tensor, others: list[tuple[str, torch.Tensor]], packer: Packer
) -> dict[str, Any]:
    mine = output.untyped_storage().data_ptr()
    aliases = [name for name, other in others if other.untyped_storage().data_ptr() == mine != 0]
    return {
        "data": _pack(output, packer),
        "device": str(output.device),
        "stride": list(output.stride()),
        "requires_grad": output.requires_grad,
        "aliases": aliases,
    }


def _pack(tensor: torch.Tensor, packer: Packer) -> dict[str, Any] | None:
    """Return the values as a dense CPU tensor, or None when they cannot be read any more."""
    try:
        values = _clone(_cpu(_detach(tensor)), memory_format=torch.contiguous_format)
        return packer.add(values)
    except Exception:
        return None


# As they were before an answer was loaded: a result's own attributes must not be what reads it.
_detach, _cpu, _clone = torch.Tensor.detach, torch.Tensor.cpu, torch.Tensor.clone


def _poisoned(tensor: torch.Tensor) -> torch.Tensor:
    fill = float("nan") if tensor.dtype.is_floating_point else 0
    return torch.full_like(tensor, fill)


def _cloned(value: Any) -> Any:
    if isinstance(value, list):
        return [_cloned(item) for item in value]
    return value.detach().clone() if isinstance(value, torch.Tensor) else value
