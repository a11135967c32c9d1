// Cooperative groups of at most one block: thread_block, tiles of a warp, coalesced threads.
// A grid knows its size and ranks but cannot synchronise.
#pragma once
#include "sim/group.h"

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
  template <class T = void>
  static void sync() {
    static_assert(!std::is_void_v<T>, "needs a GPU: the simulator has no grid-wide synchronisation");
  }
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
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return dim3(blockIdx); }
};

inline grid_group this_grid() { return {}; }

template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public detail::lanes {
  static_assert(Size && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  static_assert(Size <= 32, "needs a GPU: the simulator has no tiles of more than 32 threads");

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
  explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned groups = 1)
      : lanes(mask), rank_(rank), groups_(groups) {}
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return groups_; }

 private:
  unsigned rank_, groups_;
};

// Any of the groups, known only when the kernel runs.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  thread_group(const detail::lanes& lanes) : mask_(lanes.lane_mask()) {}
  void sync(SIM_LINE) const { mask_ ? ::__syncwarp(mask_, line) : ::__syncthreads(line); }
  unsigned thread_rank() const {
    return mask_ ? detail::lanes(mask_).thread_rank() : thread_block::thread_rank();
  }
  unsigned num_threads() const { return mask_ ? __popc(mask_) : thread_block::num_threads(); }
  unsigned size() const { return num_threads(); }

 private:
  unsigned mask_ = 0;  // 0: the whole block
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
inline thread_group tiled_partition(const thread_group&, unsigned size) {
  return detail::lanes(detail::tile_mask(size));
}
inline coalesced_group coalesced_threads(SIM_LINE) { return coalesced_group(::__activemask(line)); }

// The threads of one group that give the same label; groups are counted in the order of their labels.
template <class Label>
coalesced_group labeled_partition(const detail::lanes& group, Label label, SIM_LINE) {
  const unsigned mine = ::__match_any_sync(group.lane_mask(), label, line);
  unsigned rank = 0, groups = 0;
  for (unsigned rest = group.lane_mask(); rest;) {
    const int leader = __builtin_ctz(rest);
    const Label theirs = ::__shfl_sync(group.lane_mask(), label, leader, 32, line);
    rest &= ~::__shfl_sync(group.lane_mask(), mine, leader, 32, line);
    rank += theirs < label;
    ++groups;
  }
  return coalesced_group(mine, rank, groups);
}
inline coalesced_group binary_partition(const detail::lanes& group, bool predicate, SIM_LINE) {
  return labeled_partition(group, static_cast<int>(predicate), line);
}

// Runs `f` in one thread of the group.
template <class Group, class F, class... A>
void invoke_one(const Group& group, F&& f, A&&... arguments) {
  if (group.thread_rank() == 0) f(static_cast<A&&>(arguments)...);
}

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
