// atomicAdd and its kin.  Only one OS thread runs a grid, so reading and writing need no hardware atomics.
#include "../../include/sim/atomic.h"

#include <algorithm>

#include "../../include/cuda_bf16.h"
#include "../../include/cuda_fp16.h"

#include "judge.h"

namespace {

template <class T, class F>
inline __attribute__((always_inline)) T update(T* address, const void* return_address, F next) {
  sim::maybe_give_way(return_address);
  sim::maybe_hand_over(address, sim::HandOver::kBoth);
  sim::judge<sizeof(T), sim::Access::kAtomic, true>(address, return_address);
  const T old = *address;
  *address = next(old);
  return old;
}

template <class T>
inline __attribute__((always_inline)) T compare_and_swap(T* address, T expected, T value,
                                                         const void* return_address) {
  const T found = update(address, return_address, [=](T old) { return old == expected ? value : old; });
  sim::make_good(address);
  return found;
}

// An exchange may find anything: the first one of a lock or a list head reads what nobody wrote.
template <class T>
inline __attribute__((always_inline)) T exchange(T* address, T value, const void* return_address) {
  sim::maybe_give_way(return_address);
  sim::maybe_hand_over(address, sim::HandOver::kBoth);
  sim::judge<sizeof(T), sim::Access::kWrite, true, sim::Strength::kAtomic>(address, return_address);
  sim::flag_is_raised();
  const T old = *address;
  *address = value;
  return old;
}

}  // namespace

#define HERE __builtin_return_address(0)
#define SIM_DEFINE(T, name, expression)                                                    \
  T name(T* address, T value) {                                                            \
    return update(address, HERE, [=]([[maybe_unused]] T old) -> T { return expression; }); \
  }
#define SIM_DEFINE_INTEGERS(name, expression) \
  SIM_DEFINE(int, name, expression)           \
  SIM_DEFINE(unsigned int, name, expression)  \
  SIM_DEFINE(unsigned long long, name, expression)

SIM_DEFINE(int, atomicAdd, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
SIM_DEFINE(unsigned int, atomicAdd, old + value)
SIM_DEFINE(unsigned long long, atomicAdd, old + value)
SIM_DEFINE(float, atomicAdd, old + value)
SIM_DEFINE(double, atomicAdd, old + value)
SIM_DEFINE(int, atomicSub, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
SIM_DEFINE(unsigned int, atomicSub, old - value)
SIM_DEFINE_INTEGERS(atomicMin, std::min(old, value))
SIM_DEFINE(long long, atomicMin, std::min(old, value))
SIM_DEFINE_INTEGERS(atomicMax, std::max(old, value))
SIM_DEFINE(long long, atomicMax, std::max(old, value))
SIM_DEFINE_INTEGERS(atomicAnd, old& value)
SIM_DEFINE_INTEGERS(atomicOr, old | value)
SIM_DEFINE_INTEGERS(atomicXor, old ^ value)
int atomicExch(int* address, int value) { return exchange(address, value, HERE); }
unsigned int atomicExch(unsigned int* address, unsigned int value) { return exchange(address, value, HERE); }
unsigned long long atomicExch(unsigned long long* address, unsigned long long value) {
  return exchange(address, value, HERE);
}
float atomicExch(float* address, float value) { return exchange(address, value, HERE); }
SIM_DEFINE(unsigned int, atomicInc, old >= value ? 0 : old + 1)
SIM_DEFINE(unsigned int, atomicDec, old == 0 || old > value ? value : old - 1)

#define SIM_DEFINE_CAS(T) \
  T atomicCAS(T* address, T expected, T value) { return compare_and_swap(address, expected, value, HERE); }
SIM_DEFINE_CAS(int)
SIM_DEFINE_CAS(unsigned int)
SIM_DEFINE_CAS(unsigned long long)
SIM_DEFINE_CAS(unsigned short)
namespace sim {
unsigned char compare_exchange(unsigned char* address, unsigned char expected, unsigned char value) {
  return update(address, HERE, [=](unsigned char old) { return old == expected ? value : old; });
}
}  // namespace sim

SIM_DEFINE(__half, atomicAdd, __hadd(old, value))
SIM_DEFINE(__half2, atomicAdd, __hadd2(old, value))
SIM_DEFINE(__nv_bfloat16, atomicAdd, __hadd(old, value))
SIM_DEFINE(__nv_bfloat162, atomicAdd, __hadd2(old, value))
SIM_DEFINE(float2, atomicAdd, (float2{old.x + value.x, old.y + value.y}))
SIM_DEFINE(float4, atomicAdd, (float4{old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w}))
