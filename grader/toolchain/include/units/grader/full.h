// Everything, as PyTorch declares it.  Not precompiled: for sources that the lean headers do not serve.
#pragma once
#include <cuda_runtime.h>
#include <grader/bind.h>
#include <torch/all.h>
