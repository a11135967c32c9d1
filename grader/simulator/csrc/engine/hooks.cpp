// What the compiler's instrumentation calls before each access of the learner's unit, and what the linker
// puts in place of memcpy and its kin there (-Wl,--wrap).
#include <cstring>

#include "judge.h"

using sim::Access;
using sim::judge;
using sim::judge_range;
using sim::Strength;

#define HERE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define SIM_HOOKS(n)                                                                          \
  void __tsan_read##n(void* p) { judge<n, Access::kRead, true>(p, HERE); }                    \
  void __tsan_write##n(void* p) { judge<n, Access::kWrite, true>(p, HERE); }                  \
  void __tsan_unaligned_read##n(void* p) { judge<n, Access::kRead, false>(p, HERE); }         \
  void __tsan_unaligned_write##n(void* p) { judge<n, Access::kWrite, false>(p, HERE); }       \
  void __tsan_volatile_read##n(void* p) { sim::judge_volatile<n, Access::kRead>(p, HERE); }   \
  void __tsan_volatile_write##n(void* p) { sim::judge_volatile<n, Access::kWrite>(p, HERE); } \
  void __tsan_unaligned_volatile_read##n(void* p) {                                           \
    judge<n, Access::kRead, false, Strength::kVolatile>(p, HERE);                             \
  }                                                                                           \
  void __tsan_unaligned_volatile_write##n(void* p) {                                          \
    judge<n, Access::kWrite, false, Strength::kVolatile>(p, HERE);                            \
  }

SIM_HOOKS(1)
SIM_HOOKS(2)
SIM_HOOKS(4)
SIM_HOOKS(8)
SIM_HOOKS(16)

void __tsan_read_range(void* p, unsigned long n) { judge_range(p, n, Access::kRead, HERE); }
void __tsan_write_range(void* p, unsigned long n) { judge_range(p, n, Access::kWrite, HERE); }

void* __wrap_memcpy(void* to, const void* from, size_t n) {
  judge_range(from, n, Access::kRead, HERE);
  judge_range(to, n, Access::kWrite, HERE);
  return memcpy(to, from, n);
}

void* __wrap_memmove(void* to, const void* from, size_t n) {
  judge_range(from, n, Access::kRead, HERE);
  judge_range(to, n, Access::kWrite, HERE);
  return memmove(to, from, n);
}

void* __wrap_memset(void* to, int byte, size_t n) {
  judge_range(to, n, Access::kWrite, HERE);
  return memset(to, byte, n);
}
}
