// One block of threads on one OS thread: who runs, who waits for what, and when waiting ends.
#pragma once
#include <string>
#include <vector>

#include "../../include/sim/warp_kind.h"
#include "fiber.h"
#include "launch.h"
#include "ordering.h"
#include "shared.h"

namespace sim {

class Grid;

enum class State : uint8_t { kUnstarted, kReady, kRunning, kBarrier, kWarp, kActiveMask, kSpinning, kDone };

// Where and for what a thread waits.
struct Wait {
  const char* what = "";
  int line = 0;
  const void* pc = nullptr;
};

struct alignas(64) Thread {
  void* saved = nullptr;  // stack pointer while it waits
  Fiber* fiber = nullptr;
  State state = State::kUnstarted;
  Wait wait;
  uint64_t result = 0;  // of a warp collective
  bool agreed = false;  // what match_all says
};

// A warp operation that some lanes of `mask` have reached.
struct Collective {
  WarpKind kind;
  uint32_t mask;
  uint32_t arrived = 0;
  uint64_t value[32];
  int argument[32];  // source lane, delta or lane mask
  int width[32];
};

// Threads that can go on, first come first served.  None is in it twice.
class Turns {
 public:
  explicit Turns(uint32_t threads) : ring_(threads) {}
  bool empty() const { return !size_; }
  void clear() { first_ = size_ = 0; }
  uint32_t front() const { return ring_[first_]; }
  void push(uint32_t thread) {
    const size_t at = first_ + size_++;
    ring_[at < ring_.size() ? at : at - ring_.size()] = thread;
  }
  uint32_t pop() {
    const uint32_t thread = ring_[first_];
    first_ = first_ + 1 < ring_.size() ? first_ + 1 : 0;
    --size_;
    return thread;
  }

 private:
  std::vector<uint32_t> ring_;
  size_t first_ = 0, size_ = 0;
};

class Block {
 public:
  Block(Grid& grid, const Launch& launch);
  ~Block();

  // Makes the block number `linear` of its grid, before its first thread.
  void begin(uint64_t linear);
  enum class Progress { kFinished, kSpinning, kAbandoned };
  // Runs until every thread has finished, or only spinning ones are left.
  Progress run();

  // Called on a fiber by the running thread.
  int barrier(BarrierKind kind, int predicate, int line, const void* pc);
  uint64_t collective(WarpKind kind, uint32_t mask, uint64_t value, int argument, int width, int line,
                      const void* pc);
  uint32_t active_mask(int line, const void* pc);
  bool agreed() const;  // of the last match_all of the running thread
  void give_way(const void* pc);
  void give_way_now(const void* pc);

  Dim3 index() const { return index_; }
  uint32_t linear() const { return linear_; }
  bool has_other_warps() const { return count_ > 32; }
  int released_line() const { return released_line_; }
  Ordering& ordering() { return ordering_; }
  // Brings `running` up to date after anything that orders accesses.
  void renew();
  Dim3 thread_index(uint32_t thread) const;
  SharedMemory& shared() { return shared_; }
  std::string waiting() const;  // "threads 0-31 at __syncthreads, line 12; ..."

 private:
  static void fiber_main();
  bool begin_next();
  void finish_current();
  void enter(void* saved);
  // Both name who runs next, and return where it was saved.
  void* resume(uint32_t thread);
  void* start();
  void set_thread_index(uint32_t thread);
  void pass_on(void** saved);
  void wait_for_turn();
  void suspend(State state, Wait wait);
  void ready(uint32_t thread);
  void release_barrier();
  void complete(uint32_t warp, size_t which);
  void report_absent(uint32_t warp, const Collective& c);
  void complete_warps_after_exit(uint32_t warp);
  uint32_t lanes(uint32_t warp) const;  // that exist
  bool resolve_active_masks();
  void report_stuck();
  void report_divergence();

  Grid& grid_;
  const Launch& launch_;
  const uint32_t count_;
  Dim3 index_;
  uint32_t linear_ = 0;
  Ordering ordering_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> order_;  // empty: ascending
  std::vector<Dim3> indices_;    // of the threads; empty when the block has one dimension
  Turns ready_;
  std::vector<std::vector<Collective>> pending_;  // by warp
  std::vector<uint32_t> exited_;                  // lanes, by warp
  uint32_t next_ = 0, done_ = 0;
  uint32_t at_barrier_ = 0, spinning_ = 0, at_active_mask_ = 0;
  int barrier_line_ = 0, released_line_ = 0;
  bool barrier_mixed_ = false;
  struct Votes {
    int count = 0, all = 1, any = 0;
  };
  Votes votes_, released_;  // of the barrier that fills up, and of the last one that opened
  SharedMemory shared_;
};

}  // namespace sim
