// Stands before PyTorch's <torch/torch.h>: what it declares for kernel authors is in the precompiled header
// already.
#pragma once
#include <grader/declared.h>
