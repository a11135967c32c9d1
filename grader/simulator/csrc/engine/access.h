// The one place where an access by learner code is judged.
#pragma once
#include <cstddef>
#include <cstdint>

#include "arena.h"
#include "running.h"

namespace sim {

enum class Access : uint8_t { kRead, kWrite, kAtomic };

constexpr size_t kUnaligned = 1;  // an access of a packed type or of a range: any address will do

// What the fast path below does not settle: host addresses on the device, faults, first touches.
void judge_slowly(const void* p, size_t bytes, Access access, size_t alignment, const void* return_address);

// Ranges of any length, byte by byte.
void judge_range(const void* p, size_t bytes, Access access, const void* return_address);

template <size_t kBytes, Access kAccess, bool kAligned>
inline __attribute__((always_inline)) void judge(const void* p, const void* return_address) {
  const uintptr_t offset_in_arena = reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(arena_begin);
  if (__builtin_expect(offset_in_arena >= static_cast<uintptr_t>(arena_end - arena_begin), 0)) {
    if (!running.on_device || reinterpret_cast<uintptr_t>(p) - running.stack < running.stack_bytes) return;
    return judge_slowly(p, kBytes, kAccess, kAligned ? kBytes : kUnaligned, return_address);
  }
  constexpr uint8_t kNeeded = kAccess == Access::kRead    ? kTouchedRead
                              : kAccess == Access::kWrite ? kTouchedWrite
                                                          : kTouchedRead | kTouchedWrite;
  constexpr uint64_t kMask = kBytes == 64 ? ~0ull : (1ull << kBytes) - 1;
  Allocation* const a = granules[offset_in_arena >> kGranuleShift];
  if (!running.on_device || !kAligned || !a || (a->touched & kNeeded) != kNeeded) {
    return judge_slowly(p, kBytes, kAccess, kAligned ? kBytes : kUnaligned, return_address);
  }
  const size_t offset = static_cast<const char*>(p) - a->base;
  if (offset >= a->limit || a->limit - offset < kBytes || offset % kBytes) {
    return judge_slowly(p, kBytes, kAccess, kBytes, return_address);
  }
  const size_t word = offset / 64, shift = offset % 64;
  if (kAccess != Access::kWrite) {
    if (!a->all_initialised && (~a->initialised[word] >> shift & kMask)) {
      return judge_slowly(p, kBytes, kAccess, kBytes, return_address);
    }
    a->read[word] |= kMask << shift;
  }
  if (kAccess != Access::kRead) {
    if (!a->all_initialised) a->initialised[word] |= kMask << shift;
    a->written[word] |= kMask << shift;
  }
}

// Lets other threads run now and then: a loop over atomic or volatile accesses may wait for them.
void maybe_give_way(const void* return_address);

template <size_t kBytes, Access kAccess>
inline __attribute__((always_inline)) void judge_volatile(const void* p, const void* return_address) {
  if (kAccess == Access::kRead) maybe_give_way(return_address);
  judge<kBytes, kAccess, true>(p, return_address);
}

}  // namespace sim
