"""Tries to register an input transformer that empties every later cell.

Stopped by: no cell is run: the judge gets text
Fails: close
"""

import builtins

import torch


class Shell:
    input_transformers_cleanup = []


builtins.get_ipython = lambda: Shell
get_ipython().input_transformers_cleanup.append(lambda lines: [])


def fused_add_relu(a, b):
    return torch.zeros_like(a)
