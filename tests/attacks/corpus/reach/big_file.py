"""Tries to write a file of 10 GB.

Stopped by: RLIMIT_FSIZE
"""


def attempt():
    with open("big", "wb") as file:
        for _ in range(10_000):
            file.write(bytes(1 << 20))
    return 1
