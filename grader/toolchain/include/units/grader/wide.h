// Precompiled for sources that name libraries of operators, operators on lists, or autograd.
#pragma once
#include <ATen/DeviceAccelerator.h>
#include <ATen/TensorIndexing.h>
#include <ATen/core/IListRef.h>
#include <grader/lean.h>
#include <torch/library.h>
#ifndef __CUDACC__
// nvcc precompiles nothing: there this follows where a source names it.
#include <torch/csrc/autograd/custom_function.h>
#endif
