"""The machine's faults are told from words that a source had the compiler say."""

from __future__ import annotations

import pytest

from grader.toolchain import BuildRequest, EnvironmentFault, build, machine_faults

FULL = "/tmp/x.s: fatal error: error writing to /tmp/x.s: No space left on device"


@pytest.mark.parametrize(
    "output",
    [
        "g++: fatal error: Killed signal terminated program cc1plus",
        "/usr/bin/c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.",
        "nvcc error   : 'cudafe++' died due to signal 9 (Kill signal)",
    ],
)
def test_a_compiler_that_the_system_ended_is_the_machines_fault(output: str) -> None:
    """A compiler killed for memory is no build error, whatever the source."""
    with pytest.raises(EnvironmentFault, match="memory"):
        machine_faults.check(output)


def test_a_disk_is_full_if_it_is_found_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's words count where the disk bears them out, and only there."""
    machine_faults.check(FULL)
    monkeypatch.setattr(machine_faults, "_free", lambda place: 4096)
    with pytest.raises(EnvironmentFault, match="is full"):
        machine_faults.check(FULL)
    machine_faults.check("x.cu:1:2: error: expected ';'")


@pytest.mark.parametrize(
    "words",
    [
        "No space left on device",
        "g++: fatal error: Killed signal terminated program cc1plus",
        "nvcc was not found, CUDA_HOME environment variable is not set",
    ],
)
def test_a_source_cannot_blame_the_machine(words: str) -> None:
    """A source that has the compiler print a fault of the machine fails to build, as any other."""
    result = build(BuildRequest("forged", f"#error {words}\nvoid f() {{}}", functions=["f"], device="sim"))
    assert not result.ok
    assert words.split(",")[0] in result.diagnostics[0].message
