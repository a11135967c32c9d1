"""Tries to fill the disk with small files.

Stopped by: the size of the scratch
"""


def attempt():
    for n in range(40):
        with open(str(n), "wb") as file:
            for _ in range(60):
                file.write(bytes(1 << 20))
    return 1
