"""Checks: one property each, run in the judge."""

from grader.checks.base import Bench, Check, Finding
from grader.checks.build import Build
from grader.checks.capture import Capture
from grader.checks.close import Close
from grader.checks.compiled import Compile
from grader.checks.data_race import DataRace
from grader.checks.device import Device
from grader.checks.flags import Flags
from grader.checks.gradcheck import Gradcheck
from grader.checks.inputs import Inputs
from grader.checks.launch import Launch
from grader.checks.memory import Memory
from grader.checks.one_kernel import OneKernel
from grader.checks.opcheck import OpCheck
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
    "Compile",
    "DataRace",
    "Device",
    "Finding",
    "Flags",
    "Gradcheck",
    "Inputs",
    "Launch",
    "Memory",
    "OneKernel",
    "OpCheck",
    "Policy",
    "Rejects",
    "StreamRace",
    "Traffic",
    "Values",
]
