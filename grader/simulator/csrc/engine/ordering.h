// What has happened before what, for the threads of one block: barriers, warp barriers, and values handed
// over through flags.  Times are of the clock in shadow.h.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../../include/sim/warp_kind.h"

namespace sim {

struct Handover;

// What somebody has read from a flag: its first `length` releases.
struct Acquired {
  const Handover* from;
  uint32_t length;
};

// A thread wrote a flag after a fence: accesses up to these times came before.
struct Release {
  uint32_t block, thread;
  uint32_t own, warp, whole;  // of the thread, of its warp, of its block
  uint32_t flag;              // and, of the thread, to the flag itself
  FenceScope scope;
  std::vector<Acquired> earlier;  // what it had learned itself
};

// The releases of one flag, in order.
struct Handover {
  const void* flag = nullptr;
  std::vector<Release> releases;
  std::unordered_map<uint32_t, std::vector<uint32_t>> by_block;
  std::vector<uint32_t> chained;  // releases that had learned something

  void add(Release release);
};

// An access by another thread, as a question.
struct Earlier {
  uint32_t block, thread, stamp;
  const void* at;
};

class __attribute__((visibility("hidden"))) Ordering {
 public:
  explicit Ordering(uint32_t threads)
      : warps_((threads + 31) / 32), previous_warps_(warps_.size()), partial_(warps_.size()) {}
  void begin(uint32_t block);
  // Every access of the block so far is before every later one.
  void barrier();
  // The same for the lanes that took part in a warp barrier; `existing` are all that the warp has.
  void warp_barrier(uint32_t warp, uint32_t lanes, uint32_t existing);

  void fence(uint32_t thread, FenceScope scope);
  void release(uint32_t thread, Handover& flag);
  void acquire(uint32_t thread, const Handover& flag);

  // Whether an access is before what `thread` does now.
  bool knows(uint32_t thread, const Earlier& earlier) const;

  uint32_t began() const { return began_; }
  uint32_t barrier_time() const { return barrier_; }
  uint32_t warp_time(uint32_t warp) const { return warps_[warp]; }
  bool a_warp_has_met() const { return a_warp_has_met_; }  // as a whole, since the last barrier of the block

 private:
  // Lanes of a warp, or all threads, that have read a flag.  It counts after a fence or a barrier.
  struct Learned {
    Acquired what;
    uint32_t warp;
    uint32_t pending = 0, in_block = 0, in_device = 0;
  };
  struct Fence {
    uint32_t own = 0, warp = 0, whole = 0;
  };
  using Matrix = std::array<std::array<uint32_t, 32>, 32>;

  uint32_t known_in_warp(uint32_t thread) const;
  void add_release(uint32_t thread, Handover& flag, const Fence& fence, FenceScope scope);
  void forget_superseded(uint32_t warp, uint32_t lanes);

  bool a_warp_has_met_ = false;
  uint32_t block_ = 0, began_ = 0, barrier_ = 0, previous_barrier_ = 0;
  std::vector<uint32_t> warps_, previous_warps_;  // the last barriers of a whole warp
  std::vector<std::unique_ptr<Matrix>> partial_;  // [lane][of lane]: the last barrier of some lanes
  std::unordered_map<uint32_t, Fence> block_fences_, device_fences_;  // the last one of each thread
  std::vector<Learned> learned_;
};

}  // namespace sim
