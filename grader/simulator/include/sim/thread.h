// Barriers, fences, votes and shuffles under CUDA's names.
#pragma once
#include <string.h>
#include <time.h>

#include <chrono>
#include <type_traits>

#include "../vector_types.h"
#include "collective.h"

// Inlined, so that a report's innermost frame is the learner's.
#define SIM_DEVICE static inline __attribute__((always_inline))
#define SIM_LINE int line = __builtin_LINE()

SIM_DEVICE void __syncthreads(SIM_LINE) { sim::block_barrier(sim::BarrierKind::kSync, 0, line); }
SIM_DEVICE int __syncthreads_count(int p, SIM_LINE) {
  return sim::block_barrier(sim::BarrierKind::kCount, p, line);
}
SIM_DEVICE int __syncthreads_and(int p, SIM_LINE) {
  return sim::block_barrier(sim::BarrierKind::kAnd, p, line);
}
SIM_DEVICE int __syncthreads_or(int p, SIM_LINE) {
  return sim::block_barrier(sim::BarrierKind::kOr, p, line);
}

SIM_DEVICE void __threadfence() { sim::thread_fence(sim::FenceScope::kDevice); }
SIM_DEVICE void __threadfence_block() { sim::thread_fence(sim::FenceScope::kBlock); }
SIM_DEVICE void __threadfence_system() { sim::thread_fence(sim::FenceScope::kDevice); }

SIM_DEVICE void __syncwarp(unsigned mask = 0xffffffffu, SIM_LINE) {
  sim::warp_collective(sim::WarpKind::kSync, mask, 0, 0, 32, line);
}
SIM_DEVICE unsigned __activemask(SIM_LINE) { return sim::active_mask(line); }
SIM_DEVICE unsigned __ballot_sync(unsigned mask, int p, SIM_LINE) {
  return static_cast<unsigned>(sim::warp_collective(sim::WarpKind::kBallot, mask, p != 0, 0, 32, line));
}
SIM_DEVICE int __all_sync(unsigned mask, int p, SIM_LINE) {
  return static_cast<int>(sim::warp_collective(sim::WarpKind::kAll, mask, p != 0, 0, 32, line));
}
SIM_DEVICE int __any_sync(unsigned mask, int p, SIM_LINE) {
  return static_cast<int>(sim::warp_collective(sim::WarpKind::kAny, mask, p != 0, 0, 32, line));
}
SIM_DEVICE int __uni_sync(unsigned mask, int p, SIM_LINE) {
  return static_cast<int>(sim::warp_collective(sim::WarpKind::kUni, mask, p != 0, 0, 32, line));
}

namespace sim::detail {

template <class T>
SIM_DEVICE uint64_t to_bits(const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
SIM_DEVICE T from_bits(uint64_t bits) {
  alignas(T) unsigned char raw[sizeof(T)];
  __builtin_memcpy(raw, &bits, sizeof(T));
  return *reinterpret_cast<T*>(raw);
}

template <class T>
SIM_DEVICE T shuffle(WarpKind kind, unsigned mask, const T& value, int argument, int width, int line) {
  return from_bits<T>(warp_collective(kind, mask, to_bits(value), argument, width, line));
}

}  // namespace sim::detail

#define SIM_SHUFFLES(T)                                                                                   \
  SIM_DEVICE T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIM_LINE) {                \
    return sim::detail::shuffle(sim::WarpKind::kShuffle, mask, value, source, width, line);               \
  }                                                                                                       \
  SIM_DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIM_LINE) {         \
    return sim::detail::shuffle(sim::WarpKind::kShuffleUp, mask, value, static_cast<int>(delta), width,   \
                                line);                                                                    \
  }                                                                                                       \
  SIM_DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIM_LINE) {       \
    return sim::detail::shuffle(sim::WarpKind::kShuffleDown, mask, value, static_cast<int>(delta), width, \
                                line);                                                                    \
  }                                                                                                       \
  SIM_DEVICE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SIM_LINE) {             \
    return sim::detail::shuffle(sim::WarpKind::kShuffleXor, mask, value, lanes, width, line);             \
  }                                                                                                       \
  SIM_DEVICE unsigned __match_any_sync(unsigned mask, T value, SIM_LINE) {                                \
    return static_cast<unsigned>(                                                                         \
        sim::warp_collective(sim::WarpKind::kMatchAny, mask, sim::detail::to_bits(value), 0, 32, line));  \
  }                                                                                                       \
  SIM_DEVICE unsigned __match_all_sync(unsigned mask, T value, int* all, SIM_LINE) {                      \
    const uint64_t lanes =                                                                                \
        sim::warp_collective(sim::WarpKind::kMatchAll, mask, sim::detail::to_bits(value), 0, 32, line);   \
    *all = sim::warp_agreed();                                                                            \
    return static_cast<unsigned>(lanes);                                                                  \
  }
SIM_SHUFFLES(int)
SIM_SHUFFLES(unsigned)
SIM_SHUFFLES(long)
SIM_SHUFFLES(unsigned long)
SIM_SHUFFLES(long long)
SIM_SHUFFLES(unsigned long long)
SIM_SHUFFLES(float)
SIM_SHUFFLES(double)
#undef SIM_SHUFFLES

#define SIM_REDUCE(name, T, kind)                                                                    \
  SIM_DEVICE T name(unsigned mask, T value, SIM_LINE) {                                              \
    return static_cast<T>(                                                                           \
        sim::warp_collective(sim::WarpKind::kind, mask, static_cast<unsigned>(value), 0, 32, line)); \
  }
SIM_REDUCE(__reduce_add_sync, unsigned, kAddInt)
SIM_REDUCE(__reduce_add_sync, int, kAddInt)
SIM_REDUCE(__reduce_min_sync, unsigned, kMinUnsigned)
SIM_REDUCE(__reduce_min_sync, int, kMinInt)
SIM_REDUCE(__reduce_max_sync, unsigned, kMaxUnsigned)
SIM_REDUCE(__reduce_max_sync, int, kMaxInt)
SIM_REDUCE(__reduce_and_sync, unsigned, kAnd)
SIM_REDUCE(__reduce_or_sync, unsigned, kOr)
SIM_REDUCE(__reduce_xor_sync, unsigned, kXor)
#undef SIM_REDUCE

SIM_DEVICE void __nanosleep(unsigned) { sim::pause_thread(); }
SIM_DEVICE void __trap() { sim::trap(); }
SIM_DEVICE void __brkpt() {}
SIM_DEVICE void __prof_trigger(int) {}
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#define __assume(condition) __builtin_assume(condition)
// No time that a program could measure itself by; it only never goes backwards.
SIM_DEVICE long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Which memory a pointer leads to.
SIM_DEVICE unsigned __isGlobal(const void* p) { return sim::space_of(p) == sim::Space::kGlobal; }
SIM_DEVICE unsigned __isShared(const void* p) { return sim::space_of(p) == sim::Space::kShared; }
SIM_DEVICE unsigned __isLocal(const void* p) { return sim::space_of(p) == sim::Space::kLocal; }
