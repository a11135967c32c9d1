"""Calling an answer through `torch.compile(fullgraph=True)`, and saying what its graphs hold."""

from __future__ import annotations

from typing import Any

import torch

from grader.judge.protocol import Frame
from grader.judge.worker.calls import Execution


class Compiled(Execution):
    """A step whose function is compiled: a graph break is an exception of the first call.

    The backend traces forward and backward with fake tensors and runs the graphs as they are, which is the
    same on every device; Inductor's own code generation is no part of it.
    """

    def run(self) -> Frame:
        """Execute the step; `operators` are those of the captured graphs."""
        from torch._dynamo import lookup_backend

        names: list[str] = []
        traced = lookup_backend("aot_eager")

        def backend(graph: Any, examples: Any) -> Any:
            names.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
            return traced(graph, examples)

        function = self.function

        def calls_it(*arguments: Any) -> Any:
            return function(*arguments)

        torch._dynamo.reset()
        self.function = torch.compile(calls_it, fullgraph=True, backend=backend)
        reply = super().run()
        reply.header["operators"] = names
        return reply
