// How a kernel parameter appears in reports.
#pragma once
#include <stdint.h>

#include <array>
#include <cstddef>
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

// By conversion, because std::is_pointer says no to `float* __restrict__`.
template <class T>
constexpr bool is_object_pointer = !std::is_class_v<T> && std::is_convertible_v<T, const volatile void*>;
template <>
inline constexpr bool is_object_pointer<std::nullptr_t> = false;

// True for PackedTensorAccessor and its kin: a class whose data() is a pointer.
template <class T, class = void>
struct has_data : std::false_type {};
template <class T>
struct has_data<T, std::enable_if_t<is_object_pointer<decltype(std::declval<const T&>().data())>>>
    : std::true_type {};

template <class Element>
Argument pointer_argument(const char* name, Element* p) {
  return {name, const_cast<const void*>(static_cast<const volatile void*>(p)), element_size<Element>()};
}

}  // namespace detail

// True in a unit that is built with --extended-lambda, which specialises it.
template <class T>
inline constexpr bool lambdas_allowed = false;

namespace detail {

// By GCC's name for it: nothing else tells a closure type.
template <class T>
constexpr bool is_lambda() {
  const char* name = __PRETTY_FUNCTION__;
  while (*name && *name != '=') ++name;
  for (; *name; ++name)
    if (name[0] == '<' && name[1] == 'l' && name[2] == 'a' && name[3] == 'm' && name[4] == 'b') return true;
  return false;
}

}  // namespace detail

template <class T>
Argument argument(const char* name, const T& value) {
  if constexpr (std::is_class_v<T> && !lambdas_allowed<std::void_t<T>>)
    static_assert(!detail::is_lambda<T>(),
                  "a lambda of the host cannot be an argument of a kernel: "
                  "pass a struct with a __device__ operator()");
  if constexpr (detail::is_object_pointer<T>) {
    return detail::pointer_argument(name, value);
  } else if constexpr (detail::has_data<T>::value) {
    return detail::pointer_argument(name, value.data());
  } else {
    return {name, nullptr, 0};
  }
}

template <class... A>
std::array<Argument, sizeof...(A)> arguments(A... each) {
  return {each...};
}

}  // namespace sim
