"""Autograd counts devices at its first use, which may come before the simulator is loaded."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

BACKWARD_FIRST = """
import torch
from grader import simulator

def gradient(device):
    x = torch.arange(3.0, device=device, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.device == x.device and x.grad.tolist() == [0, 2, 4]

{before}
simulator.load_runtime()
for device in ("sim:0", "sim:1", "cpu", "sim"):
    gradient(device)
print(simulator.reports())
"""


def backward_after(before: str) -> tuple[int, str]:
    """Run backward on every device in a process of its own, after `before`."""
    program = BACKWARD_FIRST.format(before=before)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_backward_before_the_simulator_is_loaded(sim: ModuleType) -> None:
    """A notebook that has run backward on the CPU can load the simulator afterwards and use both devices."""
    assert backward_after("gradient('cpu')") == (0, "[]\n")


def test_backward_after_the_simulator_is_loaded(sim: ModuleType) -> None:
    """Loading the simulator starts no thread of autograd's: a process that forks afterwards still may."""
    forks = """
import os
simulator.load_runtime()
child = os.fork()
if child == 0:
    gradient("sim:1")
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    assert backward_after(forks) == (0, "[]\n")
