// What torch:: factories do to a fresh tensor, without autograd's headers.
#pragma once
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

namespace grader {

inline at::Tensor variable(at::Tensor fresh, bool requires_grad) {
  if (requires_grad) fresh.set_requires_grad(true);
  return fresh;
}

}  // namespace grader
