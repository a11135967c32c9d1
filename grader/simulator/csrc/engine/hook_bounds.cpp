// Array bounds (-fsanitize=bounds-strict) and failed asserts of the learner's unit.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "access.h"
#include "block.h"

namespace sim {
namespace {

// The layout is the compiler's own interface to its run-time library.
struct SourceLocation {
  const char* file;
  uint32_t line, column;
};

struct TypeDescriptor {
  uint16_t kind;
  uint16_t info;
  char name[1];
};

struct OutOfBounds {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

int64_t index_value(const TypeDescriptor& type, uintptr_t handle) {
  const unsigned bits = 1u << (type.info >> 1);
  const bool is_signed = type.info & 1;
  if (bits >= 64 || !is_signed) return static_cast<int64_t>(handle);
  return static_cast<int64_t>(handle << (64 - bits)) >> (64 - bits);
}

// Of an array type as the compiler writes it, `'float [8][16]'`: 128.
size_t elements_of(const char* type) {
  size_t elements = 1;
  for (const char* at = type; (at = strchr(at, '[')); ++at) elements *= strtoull(at + 1, nullptr, 10);
  return elements;
}

// A wild index into a local array would hit the fiber's own frames: the kernel ends here.  Beyond an array in
// shared memory the access itself is checked, and a GPU goes on.
void out_of_bounds(const OutOfBounds& what, uintptr_t handle, const void* return_address) {
  Report r = here("array_bounds", before(return_address));
  r.line = static_cast<int>(what.location.line);
  r.index = index_value(*what.index, handle);
  r.message = "index " + std::to_string(*r.index) + " into " + what.array->name;
  report(r);
  if (!running.on_device || running.block->shared().may_hold_array(elements_of(what.array->name))) return;
  abandon(kIllegalAddress, r.message);
}

void failed_assert(const char* expression, const char* file, unsigned line, const char* function,
                   const void* return_address) {
  if (!running.on_device) {
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    abort();
  }
  Report r = here("assert", before(return_address));
  r.line = static_cast<int>(line);
  r.message = std::string("assertion failed: ") + expression;
  report(r);
  abandon(kAssert, r.message);
}

}  // namespace
}  // namespace sim

extern "C" {

void __ubsan_handle_out_of_bounds(void* what, uintptr_t index) {
  sim::out_of_bounds(*static_cast<sim::OutOfBounds*>(what), index, __builtin_return_address(0));
}

void __ubsan_handle_out_of_bounds_abort(void* what, uintptr_t index) {
  sim::out_of_bounds(*static_cast<sim::OutOfBounds*>(what), index, __builtin_return_address(0));
}

void __wrap___assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  sim::failed_assert(expression, file, line, function, __builtin_return_address(0));
}
}
