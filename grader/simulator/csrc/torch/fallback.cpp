// Every ATen operator on the device: queued as a task that runs the CPU kernel on CPU tensors over device memory.
// Results get their sizes from a trial run of the CPU kernel on the memory as it is now.  PyTorch's meta kernels would
// do without the run, but most are Python: they need the interpreter lock and import half of torch.compile.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/copy_ops.h>
#include <torch/library.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "../engine/memory.h"
#include "errors.h"
#include "generator.h"
#include "operator_traits.h"
#include "tensors.h"
#include "without_dispatch.h"

namespace sim {

namespace {

using at::Tensor;
using c10::IValue;
using torch::jit::Stack;

// Applies `change` to every tensor that the value holds; absent ones are left alone.
template <typename Change>
IValue with_tensors(const IValue& value, const Change& change) {
  if (value.isTensor()) return value.toTensor().defined() ? IValue(change(value.toTensor())) : value;
  if (value.isTensorList()) {
    c10::List<Tensor> changed;
    for (const Tensor& tensor : value.toTensorVector()) changed.push_back(tensor.defined() ? change(tensor) : tensor);
    return changed;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<Tensor>> changed;
    for (const std::optional<Tensor>& tensor : value.toOptionalTensorVector())
      changed.push_back(tensor.has_value() && tensor->defined() ? std::optional<Tensor>(change(*tensor)) : tensor);
    return changed;
  }
  return value;
}

template <typename Visit>
void for_each_tensor(const IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const Tensor& tensor : value.toTensorVector())
      if (tensor.defined()) visit(tensor);
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<Tensor>& tensor : value.toOptionalTensorVector())
      if (tensor.has_value() && tensor->defined()) visit(*tensor);
  }
}

std::string device_words(c10::Device device) {
  return device.type() == kSimDevice ? "sim:" + std::to_string(device.index()) : device.str();
}

// A call on its way into the queue.
struct Call {
  const c10::OperatorHandle& op;
  const OperatorTraits& traits;
  Stack arguments;
  int device = -1;
};

void check_device(Call& call, const Tensor& tensor) {
  if (on_sim(tensor)) {
    if (call.device < 0) call.device = tensor.device().index();
    TORCH_CHECK(call.device == tensor.device().index(),
                "Expected all tensors to be on the same device, but found at least two devices, sim:",
                std::to_string(call.device), " and ", device_words(tensor.device()), "! (in ", call.traits.name, ")");
  }
}

void check_host_tensor(const Call& call, const Tensor& tensor) {
  if (on_sim(tensor) || tensor.dim() == 0 || call.traits.takes_host_tensors) return;
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, sim:",
              std::to_string(call.device), " and ", device_words(tensor.device()), "! (in ", call.traits.name, ")");
}

void find_device(Call& call) {
  for (const IValue& value : call.arguments) for_each_tensor(value, [&](const Tensor& t) { check_device(call, t); });
  for (const IValue& value : call.arguments)
    if (call.device < 0 && value.isDevice() && value.toDevice().has_index()) call.device = value.toDevice().index();
  if (call.device < 0) call.device = current_device();
  for (const IValue& value : call.arguments)
    for_each_tensor(value, [&](const Tensor& t) { check_host_tensor(call, t); });
}

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

// The CPU kernel on CPU tensors over device memory.
struct Kernel {
  c10::OperatorHandle op;
  Stack arguments;
  int generator;
  std::optional<uint64_t> seed;

  Stack operator()() const {
    const WithoutDispatch guard;
    Stack stack = arguments;
    std::optional<DefaultGeneratorSeed> seeded;
    if (seed && generator >= 0) stack[generator] = at::detail::createCPUGenerator(*seed);
    if (seed && generator < 0) seeded.emplace(*seed);
    op.callBoxed(stack);
    return stack;
  }
};

Tensor as_cpu(const Tensor& tensor) {
  if (on_sim(tensor)) return cpu_alias(tensor);
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() ? tensor : tensor.clone();  // the host may change it
}

Kernel kernel_of(const Call& call, std::optional<uint64_t> seed) {
  Kernel kernel{call.op, {}, call.traits.generator, std::nullopt};
  kernel.arguments.reserve(call.arguments.size());
  for (const IValue& value : call.arguments)
    kernel.arguments.push_back(on_other_device(with_tensors(value, as_cpu), c10::kCPU));
  kernel.seed = seed;
  return kernel;
}

std::optional<uint64_t> seed_of(const Call& call) {
  if (!call.traits.random) return std::nullopt;
  std::optional<at::Generator> generator;
  if (call.traits.generator >= 0) generator = call.arguments[call.traits.generator].toOptional<at::Generator>();
  return draw_seed(generator, call.device);
}

bool is_argument(const Call& call, size_t position, const Tensor& tensor) {
  for (size_t n = 0; n < call.arguments.size(); ++n) {
    bool same = false;
    if (n != position) for_each_tensor(call.arguments[n], [&](const Tensor& other) { same |= other.is_same(tensor); });
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

// PyTorch's own composites allocate `out` of the right size before they get here; a caller's may be of any size.
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
    if (call.traits.written[n] && !has_final_size(call, n)) return true;
  return false;
}

// What a trial may write to.
Tensor scratch(const Tensor& tensor, bool out_variant) {
  if (!out_variant) return cpu_alias(tensor).clone();
  return at::detail::empty_cpu({0}, tensor.scalar_type());
}

// Runs the CPU kernel for the sizes of its results, before the values that it reads are there.  Nothing where it fails:
// then it has to run at once, behind the work that it waits for, and says itself what is wrong.
std::optional<Stack> try_kernel(const Call& call, Stack& written) {
  const WithoutDispatch guard;
  Kernel kernel = kernel_of(call, call.traits.random ? std::optional<uint64_t>(0) : std::nullopt);
  written.resize(call.arguments.size());
  for (size_t n = 0; n < call.arguments.size(); ++n) {
    if (!call.traits.written[n]) continue;
    kernel.arguments[n] = written[n] = with_tensors(
        call.arguments[n], [&](const Tensor& tensor) { return scratch(tensor, call.traits.out_variant); });
  }
  try {
    return kernel();
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

void take_size(const Tensor& tensor, const Tensor& trial) {
  if (tensor.sizes() == trial.sizes()) return;
  if (tensor.numel())
    TORCH_WARN("An output with one or more elements was resized since it had shape ", tensor.sizes(),
               ", which does not match the required output shape ", trial.sizes(), ".");
  tensor.resize_(trial.sizes());
}

std::vector<Tensor> tensors_in(const IValue& value) {
  std::vector<Tensor> tensors;
  for_each_tensor(value, [&](const Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

void take_sizes(const Call& call, const Stack& written) {
  for (size_t n = 0; n < written.size(); ++n) {
    if (!call.traits.out_variant || !call.traits.written[n] || has_final_size(call, n)) continue;
    const auto targets = tensors_in(call.arguments[n]), trials = tensors_in(written[n]);
    for (size_t t = 0; t < targets.size(); ++t) take_size(targets[t], trials[t]);
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
  TORCH_CHECK_NOT_IMPLEMENTED(trial.layout() == at::kStrided, "sim has strided tensors only");
  return empty_on_sim(trial.sizes(), trial.strides(), trial.scalar_type(), call.device);
}

bool makes_tensors(const Call& call) {
  return std::any_of(call.traits.returned.begin(), call.traits.returned.end(), [](int n) { return n < 0; });
}

// The results of a queued call, their values still to come; nothing when it has to run now.
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

std::vector<Span> spans_of(const Call& call) {
  std::vector<Span> spans;
  for (size_t n = 0; n < call.arguments.size(); ++n)
    for_each_tensor(call.arguments[n], [&](const Tensor& tensor) {
      if (!on_sim(tensor)) return;
      add_spans(tensor, false, spans);
      if (call.traits.written[n]) add_spans(tensor, true, spans);
    });
  return spans;
}

// What the kernel returned goes into the memory that was set aside for it.
void store(const IValue& target, const IValue& result) {
  auto targets = tensors_in(target);
  const auto results = tensors_in(result);
  TORCH_CHECK(targets.size() == results.size(), "the CPU kernel returned ", std::to_string(results.size()),
              " tensors where ", std::to_string(targets.size()), " were expected");
  const WithoutDispatch guard;
  for (size_t n = 0; n < targets.size(); ++n) at::_ops::copy_::call(targets[n], results[n], false);
}

void queue(const Call& call, const std::vector<IValue>& results) {
  Task task{call.traits.name, 0, nullptr, spans_of(call)};
  std::vector<IValue> targets;
  for (size_t n = 0; n < results.size(); ++n) {
    const bool is_argument = call.traits.returned[n] >= 0;
    targets.push_back(is_argument ? IValue() : with_tensors(results[n], as_cpu));
    if (!is_argument)
      for_each_tensor(results[n], [&](const Tensor& tensor) { add_spans(tensor, true, task.spans); });
  }
  task.run = [kernel = kernel_of(call, seed_of(call)), targets, spans = task.spans] {
    const Stack stack = kernel();
    for (size_t n = 0; n < targets.size(); ++n)
      if (!targets[n].isNone()) store(targets[n], stack[n]);
    mark_initialised(spans);
  };
  submit(current_stream(call.device), std::move(task));
}

Tensor to_sim(const Tensor& host, int device) {
  if (!host.device().is_cpu()) return host;
  TORCH_CHECK_NOT_IMPLEMENTED(host.layout() == at::kStrided, "sim has strided tensors only");
  const Tensor tensor = empty_on_sim(host.sizes(), host.strides(), host.scalar_type(), device);
  tensor.copy_(host);
  return tensor;
}

// Runs now, behind the work of the current stream, and hands on what the CPU kernel raises.
std::vector<IValue> run_now(const Call& call) {
  Stack stack;
  std::exception_ptr failure;
  Task task{call.traits.name, 0, nullptr, spans_of(call)};
  task.run = [&stack, &failure, kernel = kernel_of(call, seed_of(call)), spans = task.spans] {
    try {
      stack = kernel();
      mark_initialised(spans);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  Stream* stream = current_stream(call.device);
  submit(stream, std::move(task));
  call.traits.host_waits ? synchronize(stream) : force(stream);
  throw_last_error();
  if (failure) std::rethrow_exception(failure);
  std::vector<IValue> results;
  for (size_t n = 0; n < call.traits.returned.size(); ++n) {
    const int argument = call.traits.returned[n];
    const auto move = [&](const Tensor& host) { return to_sim(host, call.device); };
    results.push_back(argument >= 0 ? call.arguments[argument] : with_tensors(stack[n], move));
  }
  return results;
}

void run_operator(const c10::OperatorHandle& op, const c10::OperatorHandle& kernel_op, Stack* stack) {
  throw_last_error();
  const OperatorTraits& traits = traits_of(kernel_op);
  Call call{kernel_op, traits, torch::jit::pop(*stack, op.schema().arguments().size())};
  find_device(call);
  log_operator(traits.name);
  auto results = plan_results(call);
  if (!results)
    results = run_now(call);
  else if (!traits.makes_view)
    queue(call, *results);
  for (IValue& result : *results) stack->push_back(std::move(result));
}

void fallback(const c10::OperatorHandle& op, Stack* stack) {
  const OperatorTraits& traits = traits_of(op);
  TORCH_CHECK_NOT_IMPLEMENTED(traits.is_torchs, "Could not run '", traits.name,
                              "' with arguments from the 'CUDA' backend: it has no kernel for the device. "
                              "Register one with TORCH_LIBRARY_IMPL(<namespace>, CUDA, m).");
  run_operator(op, op, stack);
}

c10::OperatorHandle find_operator(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

// PyTorch sends convolutions of out-of-tree devices here.
void convolution(const c10::OperatorHandle& op, Stack* stack) {
  static const auto kernel = find_operator("aten::convolution");
  run_operator(op, kernel, stack);
}

void convolution_backward(const c10::OperatorHandle& op, Stack* stack) {
  static const auto kernel = find_operator("aten::convolution_backward");
  const size_t count = op.schema().arguments().size();
  const Tensor weight = torch::jit::peek(*stack, 2, count).toTensor();
  const bool transposed = torch::jit::peek(*stack, 6, count).toBool();
  const int64_t groups = torch::jit::peek(*stack, 8, count).toInt();
  const int64_t channels = transposed ? weight.size(1) * groups : weight.size(0);
  const auto bias_sizes = c10::List<int64_t>({channels});
  stack->insert(stack->end() - static_cast<std::ptrdiff_t>(count) + 3, IValue(bias_sizes));
  run_operator(kernel, kernel, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution>());
  m.impl("convolution_backward_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution_backward>());
}

}  // namespace sim
