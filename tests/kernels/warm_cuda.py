"""Imported by the process that runs are forked from: PyTorch is loaded, CUDA is left alone until the fork."""

import torch  # noqa: F401 - what is imported here need not be imported by each run
