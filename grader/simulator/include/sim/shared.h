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

constexpr uint64_t name_hash(const char* name) {
  uint64_t hash = 14695981039346656037ull;
  for (; *name; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 1099511628211ull;
  return hash;
}

// One name of dynamic shared memory has one type in a file, as for nvcc, which emits one symbol for it: a
// second type would define a second friend that differs only in what it returns.
template <uint64_t kName>
struct SharedName {};
template <class T, uint64_t kName>
struct SharedDeclaration {
  friend T* shared_declaration(SharedName<kName>) { return nullptr; }
};

template <class T, uint64_t kName>
T* dynamic_shared(const char* name, int line) {
  (void)sizeof(SharedDeclaration<T, kName>);
  return static_cast<T*>(dynamic_shared_memory(name, line, sizeof(std::remove_all_extents_t<T>)));
}

}  // namespace sim
