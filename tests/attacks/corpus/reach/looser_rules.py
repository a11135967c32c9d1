"""Tries to give itself new Landlock rules that allow everything.

Stopped by: Landlock: rules only add up
"""

import ctypes


def attempt():
    libc, handled = ctypes.CDLL(None), ctypes.c_uint64(4)
    rules = libc.syscall(444, ctypes.byref(handled), ctypes.c_size_t(8), 0)
    libc.syscall(446, rules, 0)
    with open("@SECRET@") as file:
        return bool(file.read())
