// Cooperative groups of at most one block: thread_block, tiles of a warp, coalesced threads.
// A grid knows its size and ranks but cannot synchronise.
#pragma once
#include "sim/math.h"
#include "sim/thread.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync(SIM_LINE) { ::__syncthreads(line); }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  static bool is_valid() { return false; }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned long long size() { return num_threads(); }
  static dim3 group_dim() { return gridDim; }
};

inline grid_group this_grid() { return {}; }

namespace detail {

// Some lanes of one warp, known by their mask.  Ranks count the lanes of the mask from the lowest.
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
  T shfl(T value, int rank, SIM_LINE) const {
    return ::__shfl_sync(mask_, value, lane_of(static_cast<unsigned>(rank) % size()), 32, line);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, SIM_LINE) const {
    const unsigned rank = thread_rank();
    return ::__shfl_sync(mask_, value, lane_of(rank >= delta ? rank - delta : rank), 32, line);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, SIM_LINE) const {
    const unsigned rank = thread_rank();
    return ::__shfl_sync(mask_, value, lane_of(rank + delta < size() ? rank + delta : rank), 32, line);
  }
  template <class T>
  T shfl_xor(T value, unsigned ranks, SIM_LINE) const {
    const unsigned from = thread_rank() ^ ranks;
    return ::__shfl_sync(mask_, value, lane_of(from < size() ? from : thread_rank()), 32, line);
  }
  unsigned lane_mask() const { return mask_; }

 private:
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

}  // namespace detail

template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public detail::lanes {
  static_assert(Size && Size <= 32 && (Size & (Size - 1)) == 0,
                "the simulator has tiles of up to 32 threads");

 public:
  thread_block_tile() : lanes(detail::tile_mask(Size)) {}
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return ::sim::lane_id() % Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
};

class coalesced_group : public detail::lanes {
 public:
  explicit coalesced_group(unsigned mask) : lanes(mask) {}
  static unsigned meta_group_rank() { return 0; }
  static unsigned meta_group_size() { return 1; }
};

class thread_group : public detail::lanes {
 public:
  explicit thread_group(unsigned mask) : lanes(mask) {}
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
template <class Parent>
thread_group tiled_partition(const Parent&, unsigned size) {
  return thread_group(detail::tile_mask(size));
}
inline coalesced_group coalesced_threads(SIM_LINE) { return coalesced_group(::__activemask(line)); }

template <class Group>
void sync(const Group& group, SIM_LINE) {
  group.sync(line);
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
