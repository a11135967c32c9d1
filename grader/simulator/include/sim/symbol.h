// `__device__` and `__constant__` variables after the front end:
// `static float c__initial[4] = {...}; static decltype(c__initial)& c = ::sim::symbol(c__initial, {"c",
// LINE});` The variable lives in device memory, so the host cannot follow its address and cudaMemcpyToSymbol
// can.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include "slot.h"

namespace sim {

void* make_symbol(const SymbolSlot& slot, const void* initial, size_t bytes, uint32_t element_bytes);

template <class T>
T& symbol(const T& initial, SymbolSlot slot) {
  static_assert(std::is_trivially_copyable_v<T>, "a device variable must be trivially copyable");
  constexpr uint32_t kElement = sizeof(std::remove_all_extents_t<T>);
  return *static_cast<T*>(make_symbol(slot, &initial, sizeof(T), kElement));
}

template <class T>
class Symbol {
 public:
  Symbol(const char* name, int line, const T& initial = T{}) : value_(symbol(initial, {name, line})) {}
  operator T&() { return value_; }
  T& get() { return value_; }

 private:
  T& value_;
};

}  // namespace sim
