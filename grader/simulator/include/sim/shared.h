// `__shared__` variables after the front end.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include "slot.h"

namespace sim {

void* shared_variable(const SharedSlot* slot, size_t bytes, uint32_t element_bytes);
void* dynamic_shared_memory(const char* name, int line, uint32_t element_bytes);

// `Reference` is `float (&)[8][16]`: the variable of the running thread's block.
template <class Reference>
Reference shared(const SharedSlot* slot) {
  using Variable = std::remove_reference_t<Reference>;
  constexpr uint32_t kElement = sizeof(std::remove_all_extents_t<Variable>);
  return *static_cast<Variable*>(shared_variable(slot, sizeof(Variable), kElement));
}

template <class T>
T* dynamic_shared(const char* name, int line) {
  return static_cast<T*>(dynamic_shared_memory(name, line, sizeof(std::remove_all_extents_t<T>)));
}

}  // namespace sim
