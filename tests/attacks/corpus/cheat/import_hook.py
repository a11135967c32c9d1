"""Tries to replace the judge's modules by an import hook.

Stopped by: the judge imports in another process
Fails: close
"""

import sys

import torch


class Hook:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("grader"):
            raise ImportError(name)
        return None


sys.meta_path.insert(0, Hook())
sys.path.insert(0, "/tmp")
for name in [name for name in sys.modules if "checks" in name or "scoring" in name]:
    sys.modules[name] = None


def fused_add_relu(a, b):
    return torch.zeros_like(a)
