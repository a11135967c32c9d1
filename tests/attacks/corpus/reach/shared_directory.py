"""Tries to leave a file for the next answer where all may write.

Stopped by: Landlock
Works without: confinement
"""


def attempt():
    wrote = 0
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        try:
            with open(f"{folder}/@MARK@", "w") as file:
                wrote += file.write("the answer is 42")
        except OSError:
            continue
    return wrote
