// One call of an operator on its way into the queue.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <optional>
#include <vector>

#include "operator_traits.h"
#include "tensors.h"

namespace sim {

using c10::IValue;
using torch::jit::Stack;

// Applies `change` to every tensor that the value holds; absent ones are left alone.
template <typename Change>
IValue with_tensors(const IValue& value, const Change& change) {
  if (value.isTensor()) return value.toTensor().defined() ? IValue(change(value.toTensor())) : value;
  if (value.isTensorList()) {
    c10::List<at::Tensor> changed;
    for (const at::Tensor& tensor : value.toTensorVector())
      changed.push_back(tensor.defined() ? change(tensor) : tensor);
    return changed;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> changed;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
      changed.push_back(tensor.has_value() && tensor->defined() ? std::optional<at::Tensor>(change(*tensor))
                                                                : tensor);
    return changed;
  }
  return value;
}

template <typename Visit>
void for_each_tensor(const IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector())
      if (tensor.defined()) visit(tensor);
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
      if (tensor.has_value() && tensor->defined()) visit(*tensor);
  }
}

inline std::vector<at::Tensor> tensors_in(const IValue& value) {
  std::vector<at::Tensor> tensors;
  for_each_tensor(value, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

struct Call {
  const c10::OperatorHandle& op;
  const OperatorTraits& traits;
  Stack arguments;
  int device = -1;

  bool writes(size_t argument) const {
    return traits.written[argument] && (traits.writes_if < 0 || arguments[traits.writes_if].toBool());
  }
};

// The CPU kernel on CPU tensors over device memory.
struct Kernel {
  c10::OperatorHandle op;
  Stack arguments;
  int generator;
  std::optional<uint64_t> seed;

  Stack operator()() const;
};

// A CPU tensor that a kernel may use later: an alias of device memory, or a copy of what the host may change.
at::Tensor as_cpu(const at::Tensor& tensor);
Kernel kernel_of(const Call& call, std::optional<uint64_t> seed);
// `out` with the size of a result, resized with PyTorch's warning where it held anything else.
at::Tensor& resized(const at::Tensor& out, const at::Tensor& result);
// The results of a queued call, their values still to come; nothing when it has to run now.
std::optional<std::vector<IValue>> plan_results(const Call& call);

}  // namespace sim
