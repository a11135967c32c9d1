#include "operator_traits.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

namespace sim {

namespace {

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

bool takes_host_tensors(const std::string& name) {
  static constexpr std::array prefixes{"aten::index",       "aten::_index", "aten::_unsafe_index",
                                       "aten::_foreach",    "aten::_fused", "aten::_amp",
                                       "aten::tensor_split"};
  for (const char* prefix : prefixes)
    if (starts_with(name, prefix) && !starts_with(name, "aten::index_select") &&
        !starts_with(name, "aten::index_add") && !starts_with(name, "aten::index_copy") &&
        !starts_with(name, "aten::index_fill"))
      return true;
  return false;
}

bool is_tensor(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::TensorType) return true;
  if (type->kind() == c10::TypeKind::ListType)
    return is_tensor(type->castRaw<c10::ListType>()->getElementType());
  return false;
}

bool is_generator(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::OptionalType)
    return is_generator(type->castRaw<c10::OptionalType>()->getElementType());
  return type->kind() == c10::TypeKind::GeneratorType;
}

int argument_of(const c10::FunctionSchema& schema, const c10::AliasInfo& alias) {
  const auto& arguments = schema.arguments();
  for (size_t n = 0; n < arguments.size(); ++n)
    if (arguments[n].alias_info() && *arguments[n].alias_info() == alias) return static_cast<int>(n);
  return -1;
}

// Some schemas of batch normalisation keep quiet about the running statistics that training updates.
void read_running_statistics(const c10::FunctionSchema& schema, OperatorTraits& traits) {
  const auto mean = schema.argumentIndexWithName("running_mean");
  const auto variance = schema.argumentIndexWithName("running_var");
  const auto training = schema.argumentIndexWithName("training");
  if (!mean || !variance || !training || starts_with(traits.name, "aten::native_batch_norm_backward")) return;
  traits.written[*mean] = traits.written[*variance] = true;
  traits.writes_if = *training;
}

OperatorTraits read_schema(const c10::OperatorHandle& op) {
  const auto& schema = op.schema();
  OperatorTraits traits;
  int tensors = 0;
  bool writes = false;
  traits.name = schema.name();
  if (!schema.overload_name().empty()) traits.name += "." + schema.overload_name();
  for (const auto& argument : schema.arguments()) {
    if (is_generator(argument.type())) traits.generator = static_cast<int>(traits.written.size());
    tensors += is_tensor(argument.type()) || argument.type()->kind() == c10::TypeKind::OptionalType;
    writes |= argument.alias_info() && argument.alias_info()->isWrite();
    traits.written.push_back(argument.alias_info() && argument.alias_info()->isWrite());
  }
  for (const auto& result : schema.returns()) {
    const auto* alias = result.alias_info();
    traits.returned.push_back(alias && alias->isWrite() ? argument_of(schema, *alias) : -1);
    traits.makes_view |= alias && !alias->isWrite();
    traits.host_waits |= !is_tensor(result.type());
  }
  traits.host_waits |= op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output);
  traits.out_variant = std::any_of(schema.arguments().begin(), schema.arguments().end(),
                                   [](const auto& argument) { return argument.is_out(); });
  read_running_statistics(schema, traits);
  traits.random = op.hasTag(at::Tag::nondeterministic_seeded) || traits.generator >= 0;
  traits.takes_host_tensors = takes_host_tensors(traits.name);
  traits.checks_in_place = !traits.random && tensors > 1 && writes;
  traits.is_torchs = starts_with(traits.name, "aten::") || starts_with(traits.name, "prim") ||
                     starts_with(traits.name, "torchvision::") || starts_with(traits.name, "_quantized::") ||
                     starts_with(traits.name, "quantized::");
  return traits;
}

}  // namespace

const OperatorTraits& traits_of(const c10::OperatorHandle& op) {
  static auto* known = new std::unordered_map<c10::OperatorHandle, OperatorTraits>;
  static auto* mutex = new std::mutex;
  std::lock_guard<std::mutex> guard(*mutex);
  const auto found = known->find(op);
  return found != known->end() ? found->second : known->emplace(op, read_schema(op)).first->second;
}

}  // namespace sim
