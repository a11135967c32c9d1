// One block of threads on one OS thread: who runs, who waits for what, and when waiting ends.
#pragma once
#include <string>
#include <vector>

#include "../../include/sim/warp_kind.h"
#include "fiber.h"
#include "launch.h"
#include "ordering.h"
#include "running.h"
#include "shared.h"

namespace sim {

class Grid;

// As learners write it: "__shfl_sync".
const char* name_of(WarpKind kind);
// "0-31" or "5, 7", from ascending numbers.
std::string ranges(const std::vector<uint32_t>& numbers);

// What a thread waits for, or what it last waited for; kReady: for nothing.
enum class State : uint8_t { kUnstarted, kReady, kBarrier, kWarp, kActiveMask, kSpinning, kDone };

// Where a thread waits, and at which warp operation if it is one.
struct Wait {
  const void* pc = nullptr;
  int line = 0;
  WarpKind kind = WarpKind::kSync;
};

// A thread that waits: its stack pointer, and the lowest address of its stack.
struct Rest {
  void* saved;
  uintptr_t stack;
};

// What a warp operation gives a lane.
struct Answer {
  uint64_t result = 0;
  bool agreed = false;  // what match_all says
};

// The arguments of sim_switch, or without `to` of sim_start.  The function that waits calls it itself, so
// that few frames lie on its stack meanwhile.  Without `from` the thread goes on at once.
struct Handoff {
  void** from;
  void* to;
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
  uint32_t size() const { return size_; }
  void clear() { first_ = size_ = 0; }
  uint32_t front() const { return ring_[first_]; }
  void push(uint32_t thread) {
    const uint32_t at = first_ + size_++;
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
  uint32_t first_ = 0, size_ = 0;
};

class __attribute__((visibility("hidden"))) Block {
 public:
  Block(Grid& grid, const Launch& launch);
  ~Block();

  // Makes the block number `linear` of its grid, before its first thread.
  void begin(uint64_t linear);
  enum class Progress { kFinished, kSpinning, kAbandoned };
  // Runs until every thread has finished, or only spinning ones are left.
  Progress run();

  // Called on a fiber by the running thread.  What a handoff is for is known when it has been done.
  static void hand_on(Handoff handoff) {
    if (__builtin_expect(!handoff.from, 0)) return;
    if (__builtin_expect(!handoff.to, 0)) return sim_start(handoff.from, running.fiber->top, &fiber_main);
    sim_switch(handoff.from, handoff.to);
  }
  Handoff arrive(BarrierKind kind, int predicate, int line, const void* pc);
  // Of the barrier that opened last.
  int verdict(BarrierKind kind) const {
    return kind == BarrierKind::kCount ? released_.count
           : kind == BarrierKind::kAnd ? released_.all
                                       : released_.any;
  }
  Handoff meet(WarpKind kind, uint32_t mask, uint64_t value, int argument, int width, int line,
               const void* pc);
  uint32_t active_mask(int line, const void* pc);
  const Answer& answer() const;  // of the last warp operation of the running thread
  void give_way(const void* pc);
  void give_way_now(const void* pc);

  Dim3 index() const { return index_; }
  uint32_t linear() const { return linear_; }
  bool has_other_warps() const { return count_ > 32; }
  int released_line() const { return released_line_; }
  Ordering& ordering() { return ordering_; }
  // Brings `running` up to date after the running thread has ordered accesses.
  void renew();
  Dim3 thread_index(uint32_t thread) const;
  SharedMemory& shared() { return shared_; }
  std::string waiting() const;  // "threads 0-31 at __syncthreads, line 12; ..."

 private:
  [[noreturn]] static void fiber_main();
  bool begin_next(Fiber* fiber);
  void finish_current();
  void enter(Handoff handoff);
  // These name who runs next, and return where it was saved; null for a thread that starts.
  void* resume(uint32_t thread, uint32_t after);
  void* resume_next();
  void* start();
  void take_over(uint32_t thread);
  void renew_floor();
  void renew_thread(uint32_t thread);
  bool is_sweeping() const { return sweep_ != sweep_end_; }
  bool somebody_is_ready() const { return is_sweeping() || ready_.size(); }
  uint32_t next_in_sweep();
  Handoff pass_on(uint32_t thread);
  Handoff arrive_slowly(BarrierKind kind, bool yes, const Wait& at);
  Handoff wait_at_barrier();
  Handoff open_and_pass_on(uint32_t thread);
  const Wait& wait_of(uint32_t thread) const;
  void suspend(State state, int line, const void* pc);
  void ready(uint32_t thread);
  void release_barrier();
  void complete(uint32_t warp, size_t which);
  void report_absent(uint32_t warp, const Collective& c);
  void complete_warps_after_exit(uint32_t warp);
  uint32_t lanes(uint32_t warp) const;  // that exist
  bool resolve_active_masks();
  void report_stuck();
  bool report_disagreement();
  std::string meeting_places(uint32_t warp) const;
  void report_divergence();
  const char* waits_at(uint32_t thread) const;  // null when it does not wait

  Grid& grid_;
  const Launch& launch_;
  const uint32_t count_;
  Dim3 index_;
  uint32_t linear_ = 0;
  Ordering ordering_;
  // By thread, each apart from the others: every switch reads and writes the first two.
  std::vector<Rest> rests_;
  std::vector<State> states_;
  std::vector<Wait> waits_;
  std::vector<Answer> answers_;
  std::vector<Fiber*> fibers_;
  std::vector<uint32_t> order_;  // of the threads, by position; one more at the end, so that a peek is safe
  std::vector<Dim3> indices_;    // of the threads; empty when the block has one dimension
  // Whom an opened barrier has let go comes first: those that live, from `sweep_` in the order to the last.
  uint32_t sweep_ = 0, sweep_end_ = 0;
  Turns ready_;
  std::vector<std::vector<Collective>> pending_;  // by warp
  std::vector<uint32_t> exited_;                  // lanes, by warp
  uint32_t next_ = 0, done_ = 0;
  uint32_t at_barrier_ = 0, spinning_ = 0, at_active_mask_ = 0;
  // Where the first thread waits at the barrier that fills up, and whether others do elsewhere: only then is
  // each thread's place written down.
  Wait barrier_;
  const void* usual_ = nullptr;  // where one more thread makes no difference
  bool barrier_mixed_ = false;
  int released_line_ = 0;
  struct Votes {
    int count = 0, all = 1, any = 0;
    void add(bool yes) {
      count += yes;
      all &= yes;
      any |= yes;
    }
  };
  Votes votes_, released_;  // of the barrier that fills up, and of the last one that opened
  SharedMemory shared_;
};

}  // namespace sim
