// Precompiled for nearly every source: tensors, dispatch, accessors and the factories that everybody uses.
#pragma once
#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Formatting.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/TensorAccessor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Logging.h>
#include <c10/util/Optional.h>
#include <c10/util/irange.h>
#include <cuda_runtime.h>
#include <grader/bind.h>
#include <grader/common_operators.h>
#include <grader/names.h>
#include <grader/standard.h>
