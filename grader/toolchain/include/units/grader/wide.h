// Precompiled for sources that name autograd, libraries of operators, or operators on lists.
#pragma once
#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/TensorAccessor.h>
#include <cuda_runtime.h>
#include <grader/bind.h>
#include <grader/standard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/generated/variable_factories.h>
#include <torch/library.h>
#include <grader/names.h>
