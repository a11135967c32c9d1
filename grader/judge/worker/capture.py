"""Capturing a call into a CUDA graph and replaying it with other inputs."""

from __future__ import annotations

from grader.judge.worker.calls import Call, Execution


class Capture(Execution):
    """Captures the first call, then replays it with each later call's values copied into its inputs.

    Comes last in a worker's life: a failed capture breaks torch's random numbers on CUDA.
    """

    def _act(self, calls: list[Call]) -> None:
        first = calls[0]
        with self._blamed("call", 0):
            self._warm_up(calls)
            with self.device.captured() as replay:
                self._take(first, self.function(*first.arguments))
        for index, call in enumerate(calls[1:], 1):
            with self._blamed("finish", index):
                for target, source in zip(first.inputs, call.inputs, strict=True):
                    target.flat.copy_(source.flat)
                replay()
                self._finish()
                call.structure, call.outputs = first.structure, [output.clone() for output in first.outputs]
