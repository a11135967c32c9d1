#include "race.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "grid.h"

namespace sim {
namespace {

// Accesses of one grid at one pair of places, in either order; the report has the first.
struct Race {
  Record code, other_code;
  bool same_value;
  bool in_warp;  // all of them within warps
  Report report;
  int64_t count;
};

// Two writes that nothing orders: a race unless both write the same.  The hook comes before the write.
struct Suspect {
  const void* at;
  unsigned char before[16];
  size_t bytes;
  Record mine, other;
};

// One of the two accesses.
struct Party {
  Record record;
  bool write;
};

struct Unwritten {
  Report report;
  int64_t count;
};

// A plain read of what others update by atomics.  The usual loop around atomicCAS begins so, and its first
// compare-and-swap makes it good.
struct Doubt {
  uint32_t block, thread;
  const char* at;
  size_t race;
  bool in_warp;
};

constexpr size_t kMostDoubts = 1 << 15;

std::vector<Race> races;
std::vector<Suspect> suspects;
std::vector<Doubt> doubts;
std::vector<Unwritten> unwritten;

bool is_atomic(Record r) { return r & kAtomicFlag; }

uint32_t block_of(Record r, const Shadow& s) {
  if (s.shared || stamp_of(r) >= running.since) return running.block->linear();
  return running.grid->block_at(stamp_of(r));
}

bool in_same_warp(Record a, Record b) { return thread_of(a) / 32 == thread_of(b) / 32; }

// Atomic and volatile accesses may meet: flags are set and polled so.  Volatile alone makes no two writes
// safe, and does not keep the lanes of a warp in step.
bool may_meet(const Party& a, const Party& b, bool same_warp_shared) {
  if (!(a.record & kStrong) || !(b.record & kStrong)) return false;
  if (is_atomic(a.record) || is_atomic(b.record)) return true;
  return !(a.write && b.write) && !same_warp_shared;
}

// Whether a thread has read the place at the given code.
bool has_read(const Shadow& s, size_t cell, uint32_t block, uint32_t thread, Record code) {
  for (const Plane* plane : {&s.readers, &s.second_readers}) {
    const Record r = *plane ? plane->at(cell) : 0;
    if (stamp_of(r) <= s.floor || (r & kCodeMask) != (code & kCodeMask)) continue;
    if (thread_of(r) == thread && block_of(r, s) == block) return true;
  }
  return false;
}

// Whether both threads write plainly, or read the place at the same code and write it: they update it.
bool both_update(const Shadow& s, size_t cell, const Party& earlier, const Party& mine) {
  if (earlier.write == mine.write) return is_atomic(earlier.record) == is_atomic(mine.record);
  if (earlier.write)
    return has_read(s, cell, block_of(earlier.record, s), thread_of(earlier.record), mine.record);
  return has_read(s, cell, running.block->linear(), running.thread, earlier.record);
}

bool in_one_warp(const Party& a, const Party& b, const Shadow& s) {
  return in_same_warp(a.record, b.record) && block_of(a.record, s) == running.block->linear();
}

const char* name_of(const Party& a) { return is_atomic(a.record) ? "atomic" : a.write ? "write" : "read"; }

OtherAccess other_access(const Party& a, const Shadow& s) {
  OtherAccess other;
  const uint32_t block = block_of(a.record, s);
  other.access = name_of(a);
  other.kernel = running.grid->launch().kernel;
  other.block = running.grid->block_index(block);
  other.thread = running.block->thread_index(thread_of(a.record));
  if (a.record & kCodeMask)
    other.pc = reinterpret_cast<const char*>(running.code + (a.record & kCodeMask)) - 1;
  return other;
}

Race* known(Record mine, Record other, bool same_value) {
  mine &= kCodeMask;
  other &= kCodeMask;
  for (Race& race : races) {
    if (race.same_value != same_value) continue;
    if ((race.code == mine && race.other_code == other) || (race.code == other && race.other_code == mine))
      return &race;
  }
  return nullptr;
}

const void* pc_of(Record r) { return reinterpret_cast<const char*>(running.code + (r & kCodeMask)) - 1; }

std::string words(const Race& race) {
  if (race.same_value) return "two threads write the same value, with nothing to order them";
  return "nothing orders this " + race.report.access + " and the " + race.report.other->access +
         " of another thread" + (race.in_warp ? "; it may pass on your GPU" : "");
}

// The race at these two places, with a report on the first.
size_t race_of(Allocation& a, size_t cell, const void* at, size_t bytes, const Party& earlier,
               const Party& mine, bool same_value, const std::vector<const void*>* stack = nullptr) {
  if (const Race* race = known(mine.record, earlier.record, same_value)) return race - races.data();
  const Access access = is_atomic(mine.record) ? Access::kAtomic
                        : mine.write           ? Access::kWrite
                                               : Access::kRead;
  const char* const kind = same_value ? "same_value_write" : "data_race";
  Report r = access_report(kind, at, bytes, access, pc_of(mine.record), &a);
  r.stack = stack ? *stack : learner_stack();
  r.other = other_access(earlier, a.shadow);
  r.barrier_line = running.block->released_line();
  if (!same_value) {
    r.missing = both_update(a.shadow, cell, earlier, mine)                      ? "atomic"
                : block_of(earlier.record, a.shadow) != running.block->linear() ? "order between blocks"
                                                                                : "__syncwarp()";
  }
  races.push_back({mine.record & kCodeMask, earlier.record & kCodeMask, same_value, true, std::move(r), 0});
  return races.size() - 1;
}

// What crosses warps needs more than a warp barrier.
void count(size_t which, bool in_warp) {
  Race& race = races[which];
  ++race.count;
  race.in_warp &= in_warp;
  if (!race.in_warp && race.report.missing == "__syncwarp()") race.report.missing = "__syncthreads()";
}

void doubt(size_t race, const Party& reader, uint32_t block, const void* at, bool in_warp) {
  if (doubts.size() >= kMostDoubts) return count(race, in_warp);
  doubts.push_back({block, thread_of(reader.record), static_cast<const char*>(at), race, in_warp});
}

// The cell's earlier access against this one.
void compare(Allocation& a, size_t cell, const Party& earlier, const Party& mine, const void* at,
             size_t bytes) {
  const Shadow& s = a.shadow;
  if (is_settled(earlier.record, s.floor) || (!earlier.write && !mine.write)) return;
  if (may_meet(earlier, mine, s.shared && in_one_warp(earlier, mine, s))) return;
  const uint32_t block = block_of(earlier.record, s);
  if (running.block->ordering().knows(running.thread,
                                      {block, thread_of(earlier.record), stamp_of(earlier.record), at}))
    return;
  if (earlier.write && mine.write && !is_atomic(earlier.record) && !is_atomic(mine.record) && bytes <= 16) {
    Suspect suspect{at, {}, bytes, mine.record, earlier.record};
    memcpy(suspect.before, at, bytes);
    suspects.push_back(suspect);
    running.suspects = true;
    return;
  }
  const size_t race = race_of(a, cell, at, bytes, earlier, mine, false);
  // Of several atomics only the last is known, and it may be another warp's that matters.
  const bool others = is_atomic(earlier.record) && running.block->has_other_warps();
  const bool in_warp = in_one_warp(earlier, mine, s) && !others;
  if (!earlier.write && is_atomic(mine.record)) return doubt(race, earlier, block, at, in_warp);
  if (!mine.write && is_atomic(earlier.record))
    return doubt(race, mine, running.block->linear(), at, in_warp);
  count(race, in_warp);
}

// Keeps the two readers that a later writer is least likely to be ordered behind.
void join_readers(Allocation& a, size_t cell, Record mine) {
  Shadow& s = a.shadow;
  const auto put_first = [&](Record r) { s.readers.set(cell, r, s.floor); };
  const Record old = s.readers.at(cell);
  if (stamp_of(old) <= s.floor) return put_first(mine);
  need_plane(s, a.bytes, &Shadow::second_readers);
  const auto put_second = [&](Record r) { s.second_readers.set(cell, r, s.floor); };
  const Record second = s.second_readers.at(cell);
  const bool second_counts = stamp_of(second) > s.floor && old & kSecondCounts;
  const uint32_t here = running.block->linear();
  const bool second_is_foreign = second_counts && block_of(second, s) != here;
  const Record keep = second_is_foreign ? kMany : 0;
  if (block_of(old, s) != here) {
    if (!second_is_foreign) put_second(old & ~kSecondCounts);
    put_first(mine | kMany);
  } else if (stamp_of(old) <= running.floor_block) {
    put_first(mine | keep);
  } else if (mine & kStrong && !(old & kStrong)) {
    // The plain reader is the one that no atomic writer may meet.
    if (second_counts || thread_of(old) == thread_of(mine)) return;
    put_second(mine);
    put_first(old | (in_same_warp(old, mine) ? kPair : kMany));
  } else if (thread_of(old) == thread_of(mine)) {
    const bool current = stamp_of(second) > (old & kPair ? running.floor_warp : running.floor_block);
    put_first(mine | (second_is_foreign || (second_counts && current) ? old & kSecondCounts : 0));
  } else if (old & kStrong && !(mine & kStrong)) {
    if (!second_counts) put_second(old & ~kSecondCounts);
    put_first(mine | (second_is_foreign || !in_same_warp(old, mine) ? kMany : kPair));
  } else if (!in_same_warp(old, mine)) {
    if (!second_is_foreign) put_second(mine);
    put_first(old | kMany);
  } else if (stamp_of(old) <= running.floor_warp) {
    put_first(mine | (second_counts && old & kMany ? kMany : 0));
  } else if (!second_counts || !(old & kMany)) {
    put_second(mine);
    put_first((old & ~kSecondCounts) | kPair);
  }
}

Record flags_of(Access access, Strength strength) {
  if (access == Access::kAtomic || strength == Strength::kAtomic) return kAtomicFlag;
  return strength == Strength::kVolatile ? kVolatileFlag : 0;
}

}  // namespace

// The frequent cases of join_readers(): the first reader after a barrier or in another block, and the second.
bool join_quickly(Shadow& s, size_t cell, Record old, const void* return_address) {
  if (old & kStrong) return false;
  const Record mine = running.me | code_of(return_address);
  if (stamp_of(old) < running.since) {
    if (s.shared || !s.second_readers) return false;
    if (!(old & kMany)) s.second_readers.set(cell, old & ~kSecondCounts, s.floor);
    s.readers.set(cell, mine | kMany, s.floor);
    return true;
  }
  if (stamp_of(old) <= running.floor_block) {
    const bool foreign = old & kMany && !s.shared && stamp_of(s.second_readers.at(cell)) < running.since;
    s.readers.set(cell, mine | (foreign ? kMany : 0), s.floor);
    return true;
  }
  const bool same_warp = in_same_warp(old, mine);
  if (!s.second_readers || (same_warp && (old & kPair || stamp_of(old) <= running.floor_warp))) return false;
  if (thread_of(old) == thread_of(mine)) return false;
  s.second_readers.set(cell, mine, s.floor);
  s.readers.set(cell, (old & ~kSecondCounts) | (same_warp ? kPair : kMany), s.floor);
  return true;
}

void settle_suspects_now() {
  running.suspects = false;
  std::vector<Suspect> now;
  now.swap(suspects);
  for (const Suspect& suspect : now) {
    Allocation* const a = find_mutable(suspect.at);
    if (!a || a->freed || !a->shadow.writers) continue;
    const bool same = memcmp(suspect.at, suspect.before, suspect.bytes) == 0;
    const size_t cell = (static_cast<const char*>(suspect.at) - a->base) >> a->shadow.shift;
    const std::vector<const void*> stack{pc_of(suspect.mine)};
    const Party earlier{suspect.other, true}, mine{suspect.mine, true};
    const size_t race = race_of(*a, cell, suspect.at, suspect.bytes, earlier, mine, same, &stack);
    count(race, in_one_warp(earlier, mine, a->shadow));
  }
}

void make_good(const void* swapped) {
  Allocation* const a = find_mutable(swapped);
  if (!a || !a->shadow.readers || !running.on_device) return;
  const char* const at = static_cast<const char*>(swapped);
  const size_t cell = (at - a->base) >> a->shadow.shift;
  for (Plane* plane : {&a->shadow.readers, &a->shadow.second_readers}) {
    const Record r = *plane ? plane->at(cell) : 0;
    if (stamp_of(r) >= running.since && thread_of(r) == running.thread)
      plane->set(cell, r | kAtomicFlag, a->shadow.floor);
  }
  const auto mine = [&](const Doubt& d) {
    return d.at == at && d.thread == running.thread && d.block == running.block->linear();
  };
  doubts.erase(std::remove_if(doubts.begin(), doubts.end(), mine), doubts.end());
}

void note_slowly(Allocation& a, size_t offset, size_t bytes, Access access, Strength strength,
                 const void* return_address) {
  settle_suspects();
  Shadow& s = a.shadow;
  const size_t unaligned = (offset | bytes) & ((size_t{1} << s.shift) - 1);
  if (unaligned) split_cells(s, a.bytes, __builtin_ctzll(unaligned));
  const bool write = access != Access::kRead;
  const Record record = running.me | flags_of(access, strength) | code_of(return_address);
  for (size_t cell = offset >> s.shift; cell << s.shift < offset + bytes; ++cell) {
    const char* const at = a.base + (cell << s.shift);
    const size_t width = std::min(size_t{1} << s.shift, bytes);
    const auto against = [&](const Plane& plane, bool earlier_write) {
      if (plane) compare(a, cell, {plane.at(cell), earlier_write}, {record, write}, at, width);
    };
    against(s.writers, true);
    if (write) {
      const Record reader = s.readers ? s.readers.at(cell) : 0;
      against(s.readers, false);
      if (reader & kSecondCounts) against(s.second_readers, false);
      // An atomic after a plain write of the same epoch: the write is what others must not meet.
      const Record w = s.writers.at(cell);
      const bool hides = record & kAtomicFlag && !(w & kAtomicFlag) && stamp_of(w) > s.floor &&
                         stamp_of(w) > running.floor_block;
      if (!hides) s.writers.set(cell, record, s.floor);
      s.last_write = stamp_of(record);
    } else {
      join_readers(a, cell, record);
    }
  }
}

void hand_over(const void* flag, HandOver how) {
  if (!running.on_device || !owns(flag)) return;
  Ordering& ordering = running.block->ordering();
  if (how != HandOver::kTake) ordering.release(running.thread, running.grid->handover(flag));
  if (how != HandOver::kGive) ordering.acquire(running.thread, running.grid->handover(flag));
}

void note_uninitialised(Report report) {
  for (Unwritten& known : unwritten) {
    if (known.report.pc == report.pc) return void(++known.count);
  }
  report.stack = learner_stack();
  unwritten.push_back({std::move(report), 1});
}

namespace {

bool is_at(const Race& race, const void* pc) {
  const Record code = code_of(static_cast<const char*>(pc) + 1);
  return race.code == code || race.other_code == code;
}

// Whether another race says the same or more: of two writes that are sometimes alike, or of an update.
bool is_told(const Race& race) {
  for (const Race& other : races) {
    if (&other == &race || other.same_value) continue;
    if (race.same_value && other.code == race.code && other.other_code == race.other_code) return true;
    const bool update = other.report.missing == "atomic" && other.code != other.other_code;
    if (update && race.code == race.other_code && is_at(other, race.report.pc)) return true;
  }
  return false;
}

}  // namespace

// Who reads too early may find what nobody has written yet: that is the race's doing.
void tell_races() {
  settle_suspects();
  for (const Doubt& d : doubts) count(d.race, d.in_warp);
  const auto never = [](const Race& race) { return !race.count; };
  races.erase(std::remove_if(races.begin(), races.end(), never), races.end());
  for (Unwritten& u : unwritten) {
    const bool early = std::any_of(races.begin(), races.end(), [&](const Race& race) {
      return !race.same_value && is_at(race, u.report.pc) && race.report.argument == u.report.argument;
    });
    if (!early) report(std::move(u.report), u.count);
  }
  for (Race& race : races) {
    race.report.message = words(race);
    if (!is_told(race)) report(race.report, race.count);
  }
  races.clear();
  suspects.clear();
  doubts.clear();
  unwritten.clear();
}

}  // namespace sim
