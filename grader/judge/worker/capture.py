"""Capturing a call into a CUDA graph and replaying it with other inputs."""

from __future__ import annotations

import torch

from grader.judge.protocol import Frame
from grader.judge.worker.calls import Call, Execution, results


class Capture(Execution):
    """Captures the first call, then replays it with the second call's values copied into its inputs.

    Comes last in a worker's life: a failed capture breaks torch's random numbers on CUDA.
    """

    def _act(self, calls: list[Call]) -> None:
        first, second = calls
        with self._blamed("call", 0):
            self._warm_up(calls)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                first.structure, first.outputs = results(self.function(*first.arguments))
        with self._blamed("finish", 1):
            for target, source in zip(first.inputs, second.inputs, strict=True):
                target.flat.copy_(source.flat)
            graph.replay()
            self._finish()
            second.structure, second.outputs = first.structure, [output.clone() for output in first.outputs]

    def run(self) -> Frame:
        """Capture, replay and return the reply."""
        if self.device.kind != "cuda":
            raise RuntimeError("graphs are captured on CUDA only")
        return super().run()
