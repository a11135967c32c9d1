// Precompiled for sources that name libraries of operators, operators on lists, or autograd (whose own
// headers follow as text: precompiled, they would double what a user's disk holds).
#pragma once
#include <ATen/DeviceAccelerator.h>
#include <ATen/TensorIndexing.h>
#include <ATen/core/IListRef.h>
#include <grader/lean.h>
#include <torch/library.h>
