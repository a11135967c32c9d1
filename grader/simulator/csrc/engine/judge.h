// The fast path of every hook: an access to initialised memory, inside its allocation, that nobody else
// touches.
#pragma once
#include "access.h"
#include "arena.h"
#include "race.h"
#include "running.h"

namespace sim {

template <size_t kBytes, Access kAccess, bool kAligned, Strength kStrength = Strength::kPlain>
inline __attribute__((always_inline)) void judge(const void* p, const void* return_address) {
  const uintptr_t offset_in_arena = reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(arena_begin);
  if (__builtin_expect(offset_in_arena >= static_cast<uintptr_t>(arena_end - arena_begin), 0)) {
    if (!running.on_device || reinterpret_cast<uintptr_t>(p) - running.stack < running.stack_bytes) return;
    return judge_slowly(p, kBytes, kAccess, kStrength, kAligned ? kBytes : kUnaligned, return_address);
  }
  constexpr bool kRead = kAccess == Access::kRead, kAtomic = kAccess == Access::kAtomic;
  constexpr bool kPlain = kAligned && (kAtomic || kStrength == Strength::kPlain);
  Allocation* const a = granules[offset_in_arena >> kGranuleShift];
  if (kPlain && running.quick && a) {
    const Shadow& s = a->shadow;
    const size_t offset = static_cast<const char*>(p) - a->base;
    const bool ready = (kRead || s.writers.has<kBytes>()) && (!(kRead || kAtomic) || s.readers.has<kBytes>());
    if (ready && offset < a->limit && a->limit - offset >= kBytes && offset % kBytes == 0 &&
        kBytes == size_t{1} << s.shift) {
      if (kRead ? note_read<kBytes>(*a, offset, return_address)
                : note_write<kBytes, kAccess>(*a, offset, return_address))
        return;
    }
  }
  judge_slowly(p, kBytes, kAccess, kStrength, kAligned ? kBytes : kUnaligned, return_address);
}

template <size_t kBytes, Access kAccess>
inline __attribute__((always_inline)) void judge_volatile(const void* p, const void* return_address) {
  constexpr bool kRead = kAccess == Access::kRead;
  // Before a flag is looked at, not after: what is learned from it goes with the value that is read.
  kRead ? maybe_give_way(return_address) : let_others_see(return_address);
  maybe_hand_over(p, kRead ? HandOver::kTake : HandOver::kGive);
  judge<kBytes, kAccess, true, Strength::kVolatile>(p, return_address);
  if (!kRead) flag_is_raised();
}

}  // namespace sim
