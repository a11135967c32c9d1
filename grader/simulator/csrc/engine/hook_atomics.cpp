// C++ atomics of the learner's unit.  On the host they must stay what they are: torch counts references with
// them.
#include "../../include/sim/collective.h"
#include "judge.h"

using sim::Access;
using sim::HandOver;
using sim::Strength;

#define HERE __builtin_return_address(0)

namespace {

template <class T>
inline __attribute__((always_inline)) void check(const volatile T* p, Access access,
                                                 const void* return_address) {
  if (!sim::running.on_device && !sim::owns(const_cast<const T*>(p))) return;
  sim::maybe_give_way(return_address);
  const T* const at = const_cast<const T*>(p);
  if (access == Access::kRead) {
    sim::maybe_hand_over(at, HandOver::kTake);
    return sim::judge<sizeof(T), Access::kRead, true, Strength::kAtomic>(at, return_address);
  }
  if (access == Access::kWrite) {
    sim::maybe_hand_over(at, HandOver::kGive);
    sim::judge<sizeof(T), Access::kWrite, true, Strength::kAtomic>(at, return_address);
    return sim::flag_is_raised();
  }
  sim::maybe_hand_over(at, HandOver::kBoth);
  sim::judge<sizeof(T), Access::kAtomic, true>(at, return_address);
}

template <class T>
inline __attribute__((always_inline)) void check_swap(const volatile T* p, const void* return_address) {
  check(p, Access::kAtomic, return_address);
  sim::make_good(const_cast<const T*>(p));
}

}  // namespace

#define SIM_ATOMICS(bits, T)                                                                       \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                         \
    check(p, Access::kRead, HERE);                                                                 \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                                      \
    check(p, Access::kWrite, HERE);                                                                \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T v, int, int) {   \
    check_swap(p, HERE);                                                                           \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T v, int, int) {     \
    check_swap(p, HERE);                                                                           \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T v, int, int) {         \
    check_swap(p, HERE);                                                                           \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                               \
  }                                                                                                \
  SIM_FETCH(bits, T, exchange, __atomic_exchange_n)                                                \
  SIM_FETCH(bits, T, fetch_add, __atomic_fetch_add)                                                \
  SIM_FETCH(bits, T, fetch_sub, __atomic_fetch_sub)                                                \
  SIM_FETCH(bits, T, fetch_and, __atomic_fetch_and)                                                \
  SIM_FETCH(bits, T, fetch_or, __atomic_fetch_or)                                                  \
  SIM_FETCH(bits, T, fetch_xor, __atomic_fetch_xor)                                                \
  SIM_FETCH(bits, T, fetch_nand, __atomic_fetch_nand)

#define SIM_FETCH(bits, T, name, builtin)                   \
  T __tsan_atomic##bits##_##name(volatile T* p, T v, int) { \
    check(p, Access::kAtomic, HERE);                        \
    return builtin(p, v, __ATOMIC_SEQ_CST);                 \
  }

extern "C" {
SIM_ATOMICS(8, unsigned char)
SIM_ATOMICS(16, unsigned short)
SIM_ATOMICS(32, unsigned int)
SIM_ATOMICS(64, unsigned long)
void __tsan_atomic_thread_fence(int) { sim::thread_fence(sim::FenceScope::kDevice); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}
