"""Tries to have others die in its place when memory runs out.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    with open("/proc/self/oom_score_adj", "w") as file:
        return file.write("0")
