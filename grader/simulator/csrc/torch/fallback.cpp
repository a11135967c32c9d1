// Every ATen operator on the device: queued as a task that runs the CPU kernel on CPU tensors over device
// memory (trial.cpp finds the sizes of its results), or run at once where the host needs a value.
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/copy_ops.h>
#include <torch/library.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>

#include "../engine/graph.h"
#include "../engine/memory.h"
#include "errors.h"
#include "generator.h"
#include "operator_call.h"
#include "tensors.h"
#include "without_dispatch.h"

namespace sim {

namespace {

using at::Tensor;

std::string device_words(c10::Device device) {
  return device.type() == kSimDevice ? "sim:" + std::to_string(device.index()) : device.str();
}

void check_device(Call& call, const Tensor& tensor) {
  if (on_sim(tensor)) {
    if (call.device < 0) call.device = tensor.device().index();
    TORCH_CHECK(call.device == tensor.device().index(),
                "Expected all tensors to be on the same device, but found at least two devices, sim:",
                std::to_string(call.device), " and ", device_words(tensor.device()), "! (in ",
                call.traits.name, ")");
  }
}

void check_host_tensor(const Call& call, const Tensor& tensor) {
  if (on_sim(tensor) || tensor.dim() == 0 || call.traits.takes_host_tensors) return;
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, sim:",
              std::to_string(call.device), " and ", device_words(tensor.device()), "! (in ", call.traits.name,
              ")");
}

void find_device(Call& call) {
  for (const IValue& value : call.arguments)
    for_each_tensor(value, [&](const Tensor& t) { check_device(call, t); });
  for (const IValue& value : call.arguments)
    if (call.device < 0 && value.isDevice() && value.toDevice().has_index())
      call.device = value.toDevice().index();
  if (call.device < 0) call.device = current_device();
  for (const IValue& value : call.arguments)
    for_each_tensor(value, [&](const Tensor& t) { check_host_tensor(call, t); });
}

std::optional<at::Generator> generator_of(const Call& call) {
  if (call.traits.generator < 0) return std::nullopt;
  return call.arguments[call.traits.generator].toOptional<at::Generator>();
}

std::optional<uint64_t> seed_of(const Call& call) {
  if (!call.traits.random) return std::nullopt;
  return draw_seed(generator_of(call), call.device);
}

std::vector<Span> spans_of(const Call& call) {
  std::vector<Span> spans;
  for (size_t n = 0; n < call.arguments.size(); ++n)
    for_each_tensor(call.arguments[n], [&](const Tensor& tensor) {
      if (!on_sim(tensor)) return;
      add_spans(tensor, call.writes(n), spans);
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

Stack targets_of(const Call& call, const std::vector<IValue>& results) {
  Stack targets;
  for (size_t n = 0; n < results.size(); ++n)
    targets.push_back(call.traits.returned[n] >= 0 ? IValue() : with_tensors(results[n], as_cpu));
  return targets;
}

void run_kernel(const Kernel& kernel, const Stack& targets) {
  try {
    const Stack stack = kernel();
    for (size_t n = 0; n < targets.size(); ++n)
      if (!targets[n].isNone()) store(targets[n], stack[n]);
  } catch (const c10::Error& error) {
    throw std::runtime_error(error.what_without_backtrace());
  }
}

std::function<void()> run_of(const Kernel& kernel, const Stack& targets, const std::vector<Span>& spans) {
  return [=] {
    run_kernel(kernel, targets);
    mark_initialised(spans);
  };
}

// A captured operator draws its seed in each replay, as CUDA's do.
void draw_in_replays(const Call& call, Task& task, const Kernel& kernel, const Stack& targets) {
  task.again = [kernel, targets, spans = task.spans, generator = generator_of(call), device = call.device] {
    Kernel anew = kernel;
    anew.seed = draw_seed(generator, device);
    return run_of(anew, targets, spans);
  };
}

void queue(const Call& call, const std::vector<IValue>& results) {
  Task task{call.traits.name, 0, nullptr, spans_of(call)};
  for (size_t n = 0; n < results.size(); ++n)
    if (call.traits.returned[n] < 0)
      for_each_tensor(results[n], [&](const Tensor& tensor) { add_spans(tensor, true, task.spans); });
  Stream* stream = current_stream(call.device);
  const bool draws = call.traits.random && is_capturing(stream);
  const Kernel kernel = kernel_of(call, draws ? std::optional<uint64_t>(0) : seed_of(call));
  const Stack targets = targets_of(call, results);
  if (draws) draw_in_replays(call, task, kernel, targets);
  task.run = run_of(kernel, targets, task.spans);
  submit(stream, std::move(task));
}

Tensor to_sim(const Tensor& host, int device) {
  if (!host.device().is_cpu()) return host;
  check_kind(host);
  const Tensor tensor = empty_on_sim(host.sizes(), host.strides(), host.scalar_type(), device);
  tensor.copy_(host);
  return tensor;
}

// `out` arguments of a size that depends on values: the kernel resizes tensors of its own.
Stack own_outputs(const Call& call, Kernel& kernel) {
  Stack outputs(call.arguments.size());
  for (size_t n = 0; call.traits.out_variant && n < outputs.size(); ++n)
    if (call.writes(n))
      outputs[n] = kernel.arguments[n] = with_tensors(call.arguments[n], [](const Tensor& tensor) -> Tensor {
        return at::detail::empty_cpu({0}, tensor.scalar_type());
      });
  return outputs;
}

void hand_out(const Call& call, const Stack& outputs) {
  for (size_t n = 0; n < outputs.size(); ++n) {
    const auto targets = tensors_in(call.arguments[n]), results = tensors_in(outputs[n]);
    for (size_t t = 0; t < results.size(); ++t)
      at::_ops::copy_::call(resized(targets[t], results[t]), results[t], false);
  }
}

// Runs now, behind the work of the current stream, and hands on what the CPU kernel raises.
std::vector<IValue> run_now(const Call& call) {
  Stack stack;
  std::exception_ptr failure;
  Kernel kernel = kernel_of(call, seed_of(call));
  const Stack outputs = own_outputs(call, kernel);
  Task task{call.traits.name, 0, nullptr, spans_of(call)};
  task.run = [&stack, &failure, kernel, spans = task.spans] {
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
  hand_out(call, outputs);
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
  m.impl("convolution_backward_overrideable",
         torch::CppFunction::makeFromBoxedFunction<&convolution_backward>());
  // PyTorch would compose it of other operators, with other rounding.
  m.impl("native_layer_norm", torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace sim
