// Cached loads and stores read and write as plain ones do, for the types that CUDA has them for.
#pragma once
#include "bits.h"

namespace sim::detail {

template <class T>
constexpr bool is_cached_type =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double> &&
    !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

#define SIM_CACHED(name)                                \
  template <>                                           \
  inline constexpr bool is_cached_type<name##2> = true; \
  template <>                                           \
  inline constexpr bool is_cached_type<name##4> = true;
SIM_CACHED(char)
SIM_CACHED(uchar)
SIM_CACHED(short)
SIM_CACHED(ushort)
SIM_CACHED(int)
SIM_CACHED(uint)
SIM_CACHED(float)
#undef SIM_CACHED
template <>
inline constexpr bool is_cached_type<longlong2> = true;
template <>
inline constexpr bool is_cached_type<ulonglong2> = true;
template <>
inline constexpr bool is_cached_type<double2> = true;

}  // namespace sim::detail

// The pointer alone decides T, so that `__ldg` of a `const T*` that is volatile or void is refused.
#define SIM_LOAD(name)                                                          \
  template <class T, std::enable_if_t<sim::detail::is_cached_type<T>, int> = 0> \
  SIM_MATH __attribute__((always_inline)) T name(const T* p) {                  \
    return *p;                                                                  \
  }
SIM_LOAD(__ldg)
SIM_LOAD(__ldca)
SIM_LOAD(__ldcg)
SIM_LOAD(__ldcs)
SIM_LOAD(__ldlu)
SIM_LOAD(__ldcv)
#undef SIM_LOAD
#define SIM_STORE(name)                                                                  \
  template <class T, std::enable_if_t<sim::detail::is_cached_type<T>, int> = 0>          \
  SIM_MATH __attribute__((always_inline)) void name(T* p, std::common_type_t<T> value) { \
    *p = value;                                                                          \
  }
SIM_STORE(__stwb)
SIM_STORE(__stcg)
SIM_STORE(__stcs)
SIM_STORE(__stwt)
#undef SIM_STORE
