// Data races: two accesses of different threads, one a write, that nothing orders.  See shadow.h, ordering.h.
#pragma once
#include "access.h"
#include "block.h"
#include "memory.h"
#include "running.h"
#include "shadow.h"

namespace sim {

// Judges an access of any size, and remembers it.
void note_slowly(Allocation& a, size_t offset, size_t bytes, Access access, Strength strength,
                 const void* return_address);

// A flag is written or read: what was fenced before the write is handed over to whoever reads it.  Nothing
// is, before somebody has executed a fence.
enum class HandOver : uint8_t { kGive, kTake, kBoth };
void hand_over(const void* flag, HandOver how);
inline void maybe_hand_over(const void* flag, HandOver how) {
  if (__builtin_expect(running.fenced, 0)) hand_over(flag, how);
}

// A read of memory that nobody wrote.  Told when the grid ends, unless it comes of a race.
void note_uninitialised(Report report);

// The running thread compares and swaps here: what it read before, plainly, was a guess that this checks.
void make_good(const void* swapped);

// Whether a record needs no closer look: of an earlier kernel, this thread's, or behind a block barrier.
inline __attribute__((always_inline)) bool is_settled(Record r, uint32_t floor) {
  const uint32_t stamp = stamp_of(r);
  if (stamp <= floor) return true;
  return stamp >= running.since &&
         (stamp <= running.floor_block || !((r ^ running.me) >> kThreadShift & kThreadMask));
}

inline __attribute__((always_inline)) Record code_of(const void* return_address) {
  const uintptr_t code = reinterpret_cast<uintptr_t>(return_address) - running.code;
  return code <= kCodeMask ? code : 0;
}

// One more reader of a cell that has been read plainly: false when it takes a closer look.
bool join_quickly(Shadow& s, size_t cell, Record reader, const void* return_address);

// Bits of the bytes of one aligned access.
template <size_t kBytes>
constexpr uint64_t kMask = kBytes == 64 ? ~0ull : (1ull << kBytes) - 1;

// A plain read of one cell; false when it needs a closer look.  A cell that this grid has read before is
// known to be initialised.
template <size_t kBytes>
inline __attribute__((always_inline)) bool note_read(Allocation& a, size_t offset,
                                                     const void* return_address) {
  Shadow& s = a.shadow;
  const size_t cell = offset / kBytes;
  if (s.last_write > (s.shared ? running.floor_block : s.floor) &&
      !is_settled(s.writers.at<kBytes>(cell), s.floor))
    return false;
  const Record r = s.readers.at<kBytes>(cell), difference = r ^ running.me;
  if (!(difference >> (kThreadShift - 2))) return true;
  if (stamp_of(r) > s.floor) {
    if (stamp_of(r) > running.floor_block) {
      if (r & kMany) return true;
      const bool same_warp = !(difference >> kWarpShift & 31);
      if (r & kPair && same_warp && stamp_of(r) > running.floor_warp) return true;
    }
    return join_quickly(s, cell, r, return_address);
  }
  const size_t word = offset / 64, shift = offset % 64;
  if (!a.all_initialised && (~a.initialised[word] >> shift & kMask<kBytes>)) return false;
  a.read[word] |= kMask<kBytes> << shift;
  s.readers.set<kBytes>(cell, running.me | code_of(return_address), s.floor);
  return true;
}

// A plain write of one cell, or an atomic update.
template <size_t kBytes, Access kAccess>
inline __attribute__((always_inline)) bool note_write(Allocation& a, size_t offset,
                                                      const void* return_address) {
  constexpr bool kAtomic = kAccess == Access::kAtomic;
  Shadow& s = a.shadow;
  const size_t cell = offset / kBytes;
  const Record w = s.writers.at<kBytes>(cell);
  if (running.suspects || running.handed) return false;
  if (kAtomic ? !(w & kAtomicFlag) && stamp_of(w) > s.floor : !is_settled(w, s.floor)) return false;
  if (s.readers.has<kBytes>()) {
    const Record r = s.readers.at<kBytes>(cell);
    if (stamp_of(r) > s.floor && (r & kSecondCounts || !is_settled(r, s.floor))) return false;
  }
  if (stamp_of(w) <= s.floor) {
    const size_t word = offset / 64, shift = offset % 64;
    if (kAtomic) {
      if (!a.all_initialised && (~a.initialised[word] >> shift & kMask<kBytes>)) return false;
      a.read[word] |= kMask<kBytes> << shift;
    } else if (!a.all_initialised) {
      a.initialised[word] |= kMask<kBytes> << shift;
    }
    a.written[word] |= kMask<kBytes> << shift;
  }
  s.writers.set<kBytes>(cell, running.me | (kAtomic ? kAtomicFlag : 0) | code_of(return_address), s.floor);
  s.last_write = stamp_of(running.me);
  return true;
}

// Races of the running grid, told once each when it ends.
void settle_suspects_now();
inline void settle_suspects() {
  if (__builtin_expect(running.suspects, 0)) settle_suspects_now();
}

// The store that follows may raise a flag.
inline void flag_is_raised() {
  if (__builtin_expect(running.fenced, 0)) running.handed = true;
}
// After that, those who wait for it come first.  A thread that runs ahead is not seen otherwise.
inline void let_others_see(const void* pc) {
  if (__builtin_expect(running.handed, 0)) running.block->give_way_now(pc);
}

void tell_races();

}  // namespace sim
