"""Tries to read the memory of the judge.

Stopped by: Landlock, seccomp
Works without: confinement
"""


def attempt():
    with open("/proc/@JUDGE@/maps") as maps:
        start = int(maps.readline().split("-")[0], 16)
    with open("/proc/@JUDGE@/mem", "rb") as memory:
        memory.seek(start)
        return len(memory.read(16))
