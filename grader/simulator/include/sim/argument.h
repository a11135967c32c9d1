// How a kernel parameter appears in reports.
#pragma once
#include <stdint.h>

#include <array>
#include <type_traits>
#include <utility>

namespace sim {

// `address` is null for anything that is neither pointer nor accessor.
struct Argument {
  const char* name;
  const void* address;
  uint32_t element_bytes;
};

namespace detail {

template <class T>
constexpr uint32_t element_size() {
  if constexpr (std::is_void_v<T> || std::is_function_v<T>) {
    return 1;
  } else {
    return sizeof(T);
  }
}

// True for PackedTensorAccessor and its kin: a class whose data() is a pointer.
template <class T, class = void>
struct has_data : std::false_type {};
template <class T>
struct has_data<T, std::enable_if_t<std::is_pointer_v<decltype(std::declval<const T&>().data())>>>
    : std::true_type {};

}  // namespace detail

template <class T>
Argument argument(const char* name, const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_pointer_t<T>;
    if constexpr (std::is_function_v<Element>) {
      return {name, nullptr, 0};
    } else {
      return {name, const_cast<const void*>(static_cast<const volatile void*>(value)),
              detail::element_size<Element>()};
    }
  } else if constexpr (detail::has_data<T>::value) {
    using Element = std::remove_pointer_t<decltype(value.data())>;
    return {name, static_cast<const void*>(value.data()), detail::element_size<Element>()};
  } else {
    return {name, nullptr, 0};
  }
}

template <class... A>
std::array<Argument, sizeof...(A)> arguments(A... each) {
  return {each...};
}

}  // namespace sim
