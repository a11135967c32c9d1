"""Tries to start threads without end.

Stopped by: the limit on memory; the worker's end
"""

import threading
import time


def attempt():
    started = 0
    try:
        for _ in range(20000):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    return started >= 20000
