// Results get their sizes from a trial run of the CPU kernel on the memory as it is now.  PyTorch's meta
// kernels would do without the run, but most are Python: they need the interpreter lock and import half of
// torch.compile.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>

#include <algorithm>

#include "operator_call.h"
#include "without_dispatch.h"

namespace sim {

namespace {

using at::Tensor;

IValue on_other_device(const IValue& value, c10::DeviceType type) {
  return value.isDevice() && value.toDevice().type() == kSimDevice ? IValue(c10::Device(type)) : value;
}

// CPU kernels that take no generator draw from the default one: it is seeded for the task and put back.
class DefaultGeneratorSeed {
 public:
  explicit DefaultGeneratorSeed(uint64_t seed) : generator_(at::detail::getDefaultCPUGenerator()) {
    std::lock_guard<std::mutex> guard(generator_.mutex());
    state_ = generator_.get_state();
    generator_.set_current_seed(seed);
  }
  ~DefaultGeneratorSeed() {
    std::lock_guard<std::mutex> guard(generator_.mutex());
    generator_.set_state(state_);
  }
  DefaultGeneratorSeed(const DefaultGeneratorSeed&) = delete;
  DefaultGeneratorSeed& operator=(const DefaultGeneratorSeed&) = delete;

 private:
  at::Generator generator_;
  Tensor state_;
};

}  // namespace

Stack Kernel::operator()() const {
  const WithoutDispatch guard;
  Stack stack = arguments;
  std::optional<DefaultGeneratorSeed> seeded;
  if (seed && generator >= 0) stack[generator] = at::detail::createCPUGenerator(*seed);
  if (seed && generator < 0) seeded.emplace(*seed);
  op.callBoxed(stack);
  return stack;
}

Tensor as_cpu(const Tensor& tensor) {
  if (on_sim(tensor)) return cpu_alias(tensor);
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() ? tensor
                                                           : tensor.clone();  // the host may change it
}

Kernel kernel_of(const Call& call, std::optional<uint64_t> seed) {
  Kernel kernel{call.op, {}, call.traits.generator, std::nullopt};
  kernel.arguments.reserve(call.arguments.size());
  for (const IValue& value : call.arguments)
    kernel.arguments.push_back(on_other_device(with_tensors(value, as_cpu), c10::kCPU));
  kernel.seed = seed;
  return kernel;
}

namespace {

bool is_argument(const Call& call, size_t position, const Tensor& tensor) {
  for (size_t n = 0; n < call.arguments.size(); ++n) {
    bool same = false;
    if (n != position)
      for_each_tensor(call.arguments[n], [&](const Tensor& other) { same |= other.is_same(tensor); });
    if (same) return true;
  }
  return false;
}

// The slot's method was renamed between the supported versions.
template <typename Slot>
auto python_object(const Slot& slot, int) -> decltype(slot.load_pyobj()) {
  return slot.load_pyobj();
}

template <typename Slot>
auto python_object(const Slot& slot, long) -> decltype(slot._unchecked_untagged_pyobj()) {
  return slot._unchecked_untagged_pyobj();
}

// PyTorch's own composites allocate `out` of the right size before they get here; a caller's may be of any
// size.
bool has_final_size(const Call& call, size_t position) {
  bool final_size = true;
  for_each_tensor(call.arguments[position], [&](const Tensor& tensor) {
    const bool from_python = python_object(*tensor.unsafeGetTensorImpl()->pyobj_slot(), 0) != nullptr;
    final_size &= is_argument(call, position, tensor) || (!from_python && tensor.numel() > 0);
  });
  return final_size;
}

bool needs_trial(const Call& call) {
  if (!call.traits.out_variant) return call.traits.checks_in_place;
  for (size_t n = 0; n < call.arguments.size(); ++n)
    if (call.writes(n) && !has_final_size(call, n)) return true;
  return false;
}

// What a trial may write to.
Tensor scratch(const Tensor& tensor, bool out_variant) {
  if (!out_variant) return cpu_alias(tensor).clone();
  return at::detail::empty_cpu({0}, tensor.scalar_type());
}

// Runs the CPU kernel for the sizes of its results, before the values that it reads are there.  Nothing where
// it fails: then it has to run at once, behind the work that it waits for, and says itself what is wrong.
std::optional<Stack> try_kernel(const Call& call, Stack& written) {
  const WithoutDispatch guard;
  Kernel kernel = kernel_of(call, call.traits.random ? std::optional<uint64_t>(0) : std::nullopt);
  written.resize(call.arguments.size());
  for (size_t n = 0; n < call.arguments.size(); ++n) {
    if (!call.writes(n)) continue;
    kernel.arguments[n] = written[n] = with_tensors(
        call.arguments[n], [&](const Tensor& tensor) { return scratch(tensor, call.traits.out_variant); });
  }
  try {
    return kernel();
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

void take_sizes(const Call& call, const Stack& written) {
  for (size_t n = 0; n < written.size(); ++n) {
    if (!call.traits.out_variant || !call.writes(n) || has_final_size(call, n)) continue;
    const auto targets = tensors_in(call.arguments[n]), trials = tensors_in(written[n]);
    for (size_t t = 0; t < targets.size(); ++t) resized(targets[t], trials[t]);
  }
}

// A view of the device tensor that the trial's result is a view of.
Tensor as_view(const Call& call, const Tensor& trial) {
  for (const IValue& value : call.arguments)
    for (const Tensor& tensor : tensors_in(value)) {
      if (!on_sim(tensor) || tensor.storage().data() != trial.storage().data()) continue;
      auto impl = c10::make_intrusive<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(tensor.storage()),
                                                       tensor.key_set(), trial.dtype());
      impl->set_sizes_and_strides(trial.sizes(), trial.strides(), trial.storage_offset());
      return Tensor(std::move(impl));
    }
  TORCH_CHECK(false, call.traits.name, " returned no view");
}

Tensor like_trial(const Call& call, const Tensor& trial) {
  if (call.traits.makes_view) return as_view(call, trial);
  check_kind(trial);
  return empty_on_sim(trial.sizes(), trial.strides(), trial.scalar_type(), call.device);
}

bool makes_tensors(const Call& call) {
  return std::any_of(call.traits.returned.begin(), call.traits.returned.end(), [](int n) { return n < 0; });
}

}  // namespace

Tensor& resized(const Tensor& out, const Tensor& result) {
  if (out.sizes() != result.sizes()) {
    if (out.numel())
      TORCH_WARN("An output with one or more elements was resized since it had shape ", out.sizes(),
                 ", which does not match the required output shape ", result.sizes(), ".");
    out.resize_(result.sizes());
  }
  return const_cast<Tensor&>(out);
}

std::optional<std::vector<IValue>> plan_results(const Call& call) {
  if (call.traits.host_waits) return std::nullopt;
  std::optional<Stack> trial = Stack();
  if (makes_tensors(call) || needs_trial(call)) {
    Stack written;
    trial = try_kernel(call, written);
    if (!trial) return std::nullopt;
    take_sizes(call, written);
  }
  std::vector<IValue> results;
  for (size_t n = 0; n < call.traits.returned.size(); ++n) {
    const int argument = call.traits.returned[n];
    const auto like = [&](const Tensor& tensor) { return like_trial(call, tensor); };
    results.push_back(argument >= 0 ? call.arguments[argument] : with_tensors((*trial)[n], like));
  }
  return results;
}

}  // namespace sim
