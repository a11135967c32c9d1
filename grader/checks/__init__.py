"""Checks: one property each, run in the judge."""

from grader.checks.base import Bench, Check, Finding
from grader.checks.build import Build
from grader.checks.capture import Capture
from grader.checks.close import Close
from grader.checks.data_race import DataRace
from grader.checks.device import Device
from grader.checks.gradcheck import Gradcheck
from grader.checks.inputs import Inputs
from grader.checks.launch import Launch
from grader.checks.memory import Memory
from grader.checks.one_kernel import OneKernel
from grader.checks.policy import Policy
from grader.checks.rejects import Rejects
from grader.checks.stream_race import StreamRace
from grader.checks.traffic import Traffic
from grader.checks.values import Values

__all__ = [
    "Bench",
    "Build",
    "Capture",
    "Check",
    "Close",
    "DataRace",
    "Device",
    "Finding",
    "Gradcheck",
    "Inputs",
    "Launch",
    "Memory",
    "OneKernel",
    "Policy",
    "Rejects",
    "StreamRace",
    "Traffic",
    "Values",
]
