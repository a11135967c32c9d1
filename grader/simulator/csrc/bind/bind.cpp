// The half of bind.h that speaks to Python.  Conversions are PyTorch's own pybind11 casters, so they agree
// with it.
#include <Python.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include "grader/bind.h"

namespace grader::bind {
namespace {

template <class T>
T load(Object object) {
  pybind11::detail::make_caster<T> caster;
  if (object == nullptr || !caster.load(object, true)) throw Mismatch{};
  return pybind11::detail::cast_op<T>(caster);
}

template <class T>
Object release(T&& value) {
  return pybind11::cast(std::forward<T>(value)).release().ptr();
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (start <= list.size() && !list.empty()) {
    const size_t comma = std::min(list.find(',', start), list.size());
    parts.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

// "add_relu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor"
std::string signature(const Entry& entry) {
  const std::string types = entry.types();
  const auto names = split(entry.parameters);
  std::string out = std::string(entry.name) + "(";
  size_t start = 0;
  for (size_t i = 0; i < entry.arity; ++i) {
    size_t depth = 0, end = start;
    while (types[end] != ',' || depth != 0) {
      depth += types[end] == '[';
      depth -= types[end] == ']';
      ++end;
    }
    const bool named = i < names.size() && !names[i].empty();
    out += (i == 0 ? "" : ", ") + (named ? names[i] : "arg" + std::to_string(i)) + ": " +
           types.substr(start, end - start);
    start = end + 2;
  }
  return out + ") " + types.substr(start);
}

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

void raise_mismatch(const Entry& entry, PyObject* argument, size_t position) {
  const auto names = split(entry.parameters);
  const std::string name = position < names.size() ? names[position] : "arg" + std::to_string(position);
  const std::string message = std::string(entry.name) + "(): incompatible function arguments: '" + name +
                              "' cannot be " + (argument == Py_None ? "None" : "a " + type_name(argument)) +
                              ". The signature is\n    " + signature(entry);
  PyErr_SetString(PyExc_TypeError, message.c_str());
}

void raise_arity(const Entry& entry, size_t given) {
  const std::string message = std::string(entry.name) + "(): incompatible function arguments: takes " +
                              std::to_string(entry.arity) + ", got " + std::to_string(given) +
                              ". The signature is\n    " + signature(entry);
  PyErr_SetString(PyExc_TypeError, message.c_str());
}

/// Calls the function and notes in `said` what it throws.
PyObject* called(const Entry& entry, const Object* arguments, size_t& position, std::string& said) {
  try {
    return entry.call(entry.function, arguments, position);
  } catch (const c10::Error& error) {
    said = error.what_without_backtrace();
    throw;
  } catch (const std::exception& error) {
    said = error.what();
    throw;
  }
}

PyObject* invoke(const Entry& entry, const Object* arguments, std::string& said) {
  size_t position = 0;
  HANDLE_TH_ERRORS
  try {
    return called(entry, arguments, position, said);
  } catch (const Mismatch&) {
    if (position >= entry.arity) throw std::runtime_error("the result cannot be given to Python");
    raise_mismatch(entry, arguments[position], position);
    return nullptr;
  } catch (const pybind11::cast_error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  } catch (const pybind11::builtin_exception& error) {
    error.set_error();
    return nullptr;
  } catch (const std::bad_alloc& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
    return nullptr;
  } catch (const std::domain_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
    return nullptr;
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
    return nullptr;
  } catch (const std::length_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
    return nullptr;
  } catch (const std::out_of_range& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
    return nullptr;
  } catch (const std::range_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
    return nullptr;
  } catch (const std::overflow_error& error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
    return nullptr;
  }
  END_HANDLE_TH_ERRORS
}

/// Sets a message that is no UTF-8 with its foreign bytes escaped: Python has an error about them in its
/// place, or before 3.11.4 an exception of the right type without any message.
void escape_message(const std::string& said) {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* text =
      PyUnicode_DecodeUTF8(said.data(), static_cast<Py_ssize_t>(said.size()), "backslashreplace");
  const bool replaced = PyErr_GivenExceptionMatches(type, PyExc_UnicodeDecodeError) != 0;
  if (text != nullptr) PyErr_SetObject(replaced ? PyExc_RuntimeError : type, text);
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
}

bool is_utf8(const std::string& text) {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  PyErr_Clear();
  Py_XDECREF(decoded);
  PyErr_Restore(type, error, trace);
  return decoded != nullptr;
}

/// Calls the function; whatever it throws is an exception in Python, never the end of the process.
PyObject* invoke_safely(const Entry& entry, const Object* arguments) {
  PyObject* result = nullptr;
  std::string said;
  try {
    result = invoke(entry, arguments, said);
  } catch (...) {
    PyErr_Format(PyExc_RuntimeError, "%s threw something that is no std::exception", entry.name);
  }
  if (result == nullptr && !is_utf8(said)) escape_message(said);
  return result;
}

PyObject* vectorcall(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  const auto& entry = *static_cast<const Entry*>(PyCapsule_GetPointer(self, nullptr));
  if (keywords != nullptr && PyTuple_GET_SIZE(keywords) != 0) {
    PyErr_Format(PyExc_TypeError, "%s(): takes no keyword arguments. The signature is\n    %s", entry.name,
                 signature(entry).c_str());
    return nullptr;
  }
  if (static_cast<size_t>(count) != entry.arity) {
    raise_arity(entry, count);
    return nullptr;
  }
  return invoke_safely(entry, arguments);
}

}  // namespace

at::Tensor tensor(Object o) { return load<at::Tensor>(o); }
bool boolean(Object o) { return load<bool>(o); }
int64_t integer(Object o) { return load<int64_t>(o); }
uint64_t natural(Object o) { return load<uint64_t>(o); }
double real(Object o) { return load<double>(o); }
std::string text(Object o) { return load<std::string>(o); }
at::ScalarType scalar_type(Object o) { return load<at::ScalarType>(o); }
at::Device device(Object o) { return load<at::Device>(o); }
at::Scalar scalar(Object o) { return load<at::Scalar>(o); }
bool is_none(Object o) { return o == Py_None; }

size_t length(Object o) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) throw Mismatch{};
  return PySequence_Fast_GET_SIZE(o);
}
Object item(Object o, size_t index) { return PySequence_Fast_GET_ITEM(o, static_cast<Py_ssize_t>(index)); }

Object none() { return Py_NewRef(Py_None); }
Object from(const at::Tensor& value) { return THPVariable_Wrap(value); }
Object from(bool value) { return PyBool_FromLong(value); }
Object from(int64_t value) { return PyLong_FromLongLong(value); }
Object from(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
Object from(double value) { return PyFloat_FromDouble(value); }
Object from(const std::string& value) { return release(value); }
Object from(at::ScalarType value) { return release(value); }
Object from(const at::Scalar& value) { return release(value); }

Object list(const Object* items, size_t count) {
  Object made = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; i < count; ++i) PyList_SET_ITEM(made, static_cast<Py_ssize_t>(i), items[i]);
  return made;
}
Object tuple(const Object* items, size_t count) {
  Object made = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; i < count; ++i) PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(i), items[i]);
  return made;
}

}  // namespace grader::bind

// Returns a Python function for `entry` (which must outlive it), or None where it has no Python types.
// `doc` is what stands below the signature in its documentation.
extern "C" GRADER_BIND_API PyObject* grader_bind_function(const grader::bind::Entry* entry, const char* doc) {
  using namespace grader::bind;
  if (entry->call == nullptr) Py_RETURN_NONE;
  // A PyMethodDef and its strings live as long as the function can be reached: for ever.
  auto* method = new PyMethodDef{};
  auto* text = new std::string(signature(*entry) + "\n\n" + doc + "\n");
  method->ml_name = entry->name;
  method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&vectorcall));
  method->ml_flags = METH_FASTCALL | METH_KEYWORDS;
  method->ml_doc = text->c_str();
  PyObject* self = PyCapsule_New(const_cast<Entry*>(entry), nullptr, nullptr);
  if (self == nullptr) return nullptr;
  PyObject* function = PyCFunction_New(method, self);
  Py_DECREF(self);
  return function;
}
