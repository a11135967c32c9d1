// Some lanes of one warp as a group, which all of cooperative groups below the block is made of.
#pragma once
#include "math.h"
#include "thread.h"

namespace cooperative_groups::detail {

// Known by their mask.  Ranks count the lanes of the mask from the lowest.
class lanes {
 public:
  explicit lanes(unsigned mask) : mask_(mask) {}
  unsigned thread_rank() const { return __popc(mask_ & ((1u << ::sim::lane_id()) - 1)); }
  unsigned num_threads() const { return __popc(mask_); }
  unsigned size() const { return num_threads(); }
  void sync(SIM_LINE) const { ::__syncwarp(mask_, line); }
  int any(int p, SIM_LINE) const { return ::__any_sync(mask_, p, line); }
  int all(int p, SIM_LINE) const { return ::__all_sync(mask_, p, line); }
  unsigned ballot(int p, SIM_LINE) const { return packed(::__ballot_sync(mask_, p, line)); }
  template <class T>
  unsigned match_any(T value, SIM_LINE) const {
    return packed(::__match_any_sync(mask_, value, line));
  }
  template <class T>
  unsigned match_all(T value, int& all, SIM_LINE) const {
    return packed(::__match_all_sync(mask_, value, &all, line));
  }
  template <class T>
  T shfl(T value, int rank, SIM_LINE) const {
    return from(value, static_cast<unsigned>(rank) % size(), line);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, SIM_LINE) const {
    const unsigned rank = thread_rank();
    return from(value, rank >= delta ? rank - delta : rank, line);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, SIM_LINE) const {
    const unsigned rank = thread_rank();
    return from(value, rank + delta < size() ? rank + delta : rank, line);
  }
  template <class T>
  T shfl_xor(T value, unsigned ranks, SIM_LINE) const {
    const unsigned other = thread_rank() ^ ranks;
    return from(value, other < size() ? other : thread_rank(), line);
  }
  unsigned lane_mask() const { return mask_; }

 private:
  // Up to 32 bytes, eight at a time.
  template <class T>
  T from(const T& value, unsigned rank, int line) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32, "a shuffle moves up to 32 bytes");
    constexpr size_t kWords = (sizeof(T) + 7) / 8;
    uint64_t words[kWords] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (uint64_t& word : words)
      word = ::sim::warp_collective(::sim::WarpKind::kShuffle, mask_, word, lane_of(rank), 32, line);
    alignas(T) unsigned char raw[sizeof(T)];
    __builtin_memcpy(raw, words, sizeof(T));
    return *reinterpret_cast<T*>(raw);
  }
  int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rank--) rest &= rest - 1;
    return __builtin_ctz(rest);
  }
  // Bits by rank instead of by lane.
  unsigned packed(unsigned by_lane) const {
    unsigned out = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank)
      out |= (by_lane >> __builtin_ctz(rest) & 1u) << rank;
    return out;
  }

  unsigned mask_;
};

inline unsigned tile_mask(unsigned size) {
  const unsigned lane = ::sim::lane_id();
  return (size >= 32 ? 0xffffffffu : (1u << size) - 1) << lane / size * size;
}

}  // namespace cooperative_groups::detail
