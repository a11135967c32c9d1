// Offers host functions to Python without pybind11 or Python.h in the learner's unit.
// What needs Python is compiled once, into the runtime (bind.cpp); here are only the types of one function.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

struct _object;  // Python's own name for what PyObject points to

namespace grader::bind {

#define GRADER_BIND_API __attribute__((visibility("default")))

using Object = struct _object*;  // borrowed as an argument, owned as a result

// Thrown when an argument is not of the parameter's type; becomes a TypeError with the signature.
struct GRADER_BIND_API Mismatch {};

struct Entry {
  const char* name;
  const char* parameters;  // names, comma-separated
  size_t arity;
  void (*function)();
  // Null where a parameter or the result has a type that Python cannot give or take.
  Object (*call)(void (*function)(), const Object* arguments, size_t& position);
  std::string (*types)();  // "torch.Tensor, float -> torch.Tensor"
};

GRADER_BIND_API at::Tensor tensor(Object);
GRADER_BIND_API bool boolean(Object);
GRADER_BIND_API int64_t integer(Object);
GRADER_BIND_API uint64_t natural(Object);
GRADER_BIND_API double real(Object);
GRADER_BIND_API std::string text(Object);
GRADER_BIND_API at::ScalarType scalar_type(Object);
GRADER_BIND_API at::Device device(Object);
GRADER_BIND_API at::Scalar scalar(Object);
GRADER_BIND_API bool is_none(Object);
GRADER_BIND_API size_t length(Object);        // of a list or tuple
GRADER_BIND_API Object item(Object, size_t);  // borrowed

GRADER_BIND_API Object none();
GRADER_BIND_API Object from(const at::Tensor&);
GRADER_BIND_API Object from(bool);
GRADER_BIND_API Object from(int64_t);
GRADER_BIND_API Object from(uint64_t);
GRADER_BIND_API Object from(double);
GRADER_BIND_API Object from(const std::string&);
GRADER_BIND_API Object from(at::ScalarType);
GRADER_BIND_API Object from(const at::Scalar&);
GRADER_BIND_API Object list(const Object* items, size_t count);   // takes the items
GRADER_BIND_API Object tuple(const Object* items, size_t count);  // takes the items

// Python<T>: what a C++ type is to Python.  `read` and `write` exist where that way is possible.
template <class T, class = void>
struct Python {
  static constexpr bool known = false;
};

#define GRADER_BIND_TYPE(type, label, reader)                      \
  template <>                                                      \
  struct Python<type> {                                            \
    static constexpr bool known = true;                            \
    static std::string name() { return label; }                    \
    static type read(Object o) { return reader(o); }               \
    static Object write(const type& value) { return from(value); } \
  }
GRADER_BIND_TYPE(at::Tensor, "torch.Tensor", tensor);
GRADER_BIND_TYPE(bool, "bool", boolean);
GRADER_BIND_TYPE(double, "float", real);
GRADER_BIND_TYPE(std::string, "str", text);
GRADER_BIND_TYPE(at::ScalarType, "torch.dtype", scalar_type);
GRADER_BIND_TYPE(at::Scalar, "float", scalar);
#undef GRADER_BIND_TYPE

template <>
struct Python<float> {
  static constexpr bool known = true;
  static std::string name() { return "float"; }
  static float read(Object o) { return static_cast<float>(real(o)); }
  static Object write(float value) { return from(static_cast<double>(value)); }
};

template <>
struct Python<at::Device> {
  static constexpr bool known = true;
  static std::string name() { return "torch.device"; }
  static at::Device read(Object o) { return device(o); }
};

template <class T>
constexpr bool is_integer_v =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> &&
    !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

template <class T>
struct Python<T, std::enable_if_t<is_integer_v<T>>> {
  static constexpr bool known = true;
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  static std::string name() { return "int"; }
  static T read(Object o) {
    Wide wide;
    if constexpr (std::is_signed_v<T>) {
      wide = integer(o);
    } else {
      wide = natural(o);
    }
    if (wide < static_cast<Wide>(std::numeric_limits<T>::min()) ||
        wide > static_cast<Wide>(std::numeric_limits<T>::max())) {
      throw Mismatch{};
    }
    return static_cast<T>(wide);
  }
  static Object write(T value) { return from(static_cast<Wide>(value)); }
};

template <class T>
struct Python<std::optional<T>, std::enable_if_t<Python<T>::known>> {
  static constexpr bool known = true;
  static std::string name() { return "Optional[" + Python<T>::name() + "]"; }
  static std::optional<T> read(Object o) {
    return is_none(o) ? std::nullopt : std::optional<T>(Python<T>::read(o));
  }
  static Object write(const std::optional<T>& value) { return value ? Python<T>::write(*value) : none(); }
};

template <class T>
struct Python<std::vector<T>, std::enable_if_t<Python<T>::known>> {
  static constexpr bool known = true;
  static std::string name() { return "List[" + Python<T>::name() + "]"; }
  static std::vector<T> read(Object o) {
    std::vector<T> values;
    const size_t count = length(o);
    values.reserve(count);
    for (size_t i = 0; i < count; ++i) values.push_back(Python<T>::read(item(o, i)));
    return values;
  }
  static Object write(const std::vector<T>& values) {
    std::vector<Object> items;
    for (const auto& value : values) items.push_back(Python<T>::write(value));
    return list(items.data(), items.size());
  }
};

template <class Tuple, size_t... I>
Object write_tuple(const Tuple& values, std::index_sequence<I...>) {
  const std::array<Object, sizeof...(I)> items{
      Python<std::decay_t<std::tuple_element_t<I, Tuple>>>::write(std::get<I>(values))...};
  return tuple(items.data(), items.size());
}

template <class... T>
struct Python<std::tuple<T...>, std::enable_if_t<(Python<std::decay_t<T>>::known && ...)>> {
  static constexpr bool known = true;
  static std::string name() {
    std::string names;
    ((names += (names.empty() ? "" : ", ") + Python<std::decay_t<T>>::name()), ...);
    return "Tuple[" + names + "]";
  }
  static Object write(const std::tuple<T...>& values) {
    return write_tuple(values, std::index_sequence_for<T...>{});
  }
};

template <class A, class B>
struct Python<std::pair<A, B>, std::enable_if_t<Python<A>::known && Python<B>::known>> {
  static constexpr bool known = true;
  static std::string name() { return "Tuple[" + Python<A>::name() + ", " + Python<B>::name() + "]"; }
  static Object write(const std::pair<A, B>& values) {
    return write_tuple(values, std::make_index_sequence<2>{});
  }
};

template <class T, size_t N>
struct Python<std::array<T, N>, std::enable_if_t<Python<T>::known>> {
  static constexpr bool known = true;
  static std::string name() { return "List[" + Python<T>::name() + "]"; }
  static Object write(const std::array<T, N>& values) {
    return Python<std::vector<T>>::write({values.begin(), values.end()});
  }
};

// What a call keeps for a parameter: views need an owner behind them.
template <class T>
struct Held {
  using type = T;
};
template <class T>
struct Held<c10::ArrayRef<T>> {
  using type = std::vector<T>;
};
template <class T>
struct Held<std::optional<c10::ArrayRef<T>>> {
  using type = std::optional<std::vector<T>>;
};
template <class P>
using held_t = typename Held<std::remove_cv_t<std::remove_reference_t<P>>>::type;

template <class P, class = void>
struct Readable : std::false_type {};
template <class P>
struct Readable<P, std::void_t<decltype(Python<held_t<P>>::read(std::declval<Object>()))>> : std::true_type {
};

template <class R, class = void>
struct Writable : std::is_void<R> {};
template <class R>
struct Writable<R,
                std::void_t<decltype(Python<std::decay_t<R>>::write(std::declval<const std::decay_t<R>&>()))>>
    : std::true_type {};

template <class P>
decltype(auto) pass(held_t<P>& held) {
  if constexpr (std::is_lvalue_reference_v<P>) {
    if constexpr (std::is_same_v<held_t<P>, std::remove_cv_t<std::remove_reference_t<P>>>) {
      return static_cast<P>(held);
    } else {
      return std::remove_cv_t<std::remove_reference_t<P>>(held);
    }
  } else if constexpr (std::is_same_v<held_t<P>, std::remove_cv_t<std::remove_reference_t<P>>>) {
    return std::move(held);
  } else {
    return std::remove_cv_t<std::remove_reference_t<P>>(held);
  }
}

template <class P>
held_t<P> read_argument(const Object* arguments, size_t index, size_t& position) {
  position = index;
  return Python<held_t<P>>::read(arguments[index]);
}

template <class R, class... P>
struct Thunk {
  template <size_t... I>
  static Object run(R (*function)(P...), const Object* arguments, size_t& position,
                    std::index_sequence<I...>) {
    std::tuple<held_t<P>...> held{read_argument<P>(arguments, I, position)...};
    position = sizeof...(P);
    if constexpr (std::is_void_v<R>) {
      function(pass<P>(std::get<I>(held))...);
      return none();
    } else {
      return Python<std::decay_t<R>>::write(function(pass<P>(std::get<I>(held))...));
    }
  }
  static Object call(void (*function)(), const Object* arguments, size_t& position) {
    return run(reinterpret_cast<R (*)(P...)>(function), arguments, position, std::index_sequence_for<P...>{});
  }
  static std::string types() {
    std::string names;
    ((names += Python<held_t<P>>::name() + ", "), ...);
    if constexpr (std::is_void_v<R>) {
      return names + "-> None";
    } else {
      return names + "-> " + Python<std::decay_t<R>>::name();
    }
  }
};

template <class R, class... P>
constexpr bool bindable(R (*)(P...)) {
  return (Readable<P>::value && ...) && Writable<R>::value;
}

template <class R, class... P>
Entry entry(const char* name, const char* parameters, R (*function)(P...)) {
  if constexpr ((Readable<P>::value && ...) && Writable<R>::value) {
    return {name,
            parameters,
            sizeof...(P),
            reinterpret_cast<void (*)()>(function),
            &Thunk<R, P...>::call,
            &Thunk<R, P...>::types};
  } else {
    return {name, parameters, sizeof...(P), nullptr, nullptr, nullptr};
  }
}

}  // namespace grader::bind
