#include "block.h"

#include <algorithm>
#include <exception>
#include <map>
#include <numeric>

#include "builtins.h"
#include "grid.h"
#include "race.h"
#include "running.h"
#include "traffic.h"

#define SIM_INLINE inline __attribute__((always_inline))

namespace sim {

namespace {

constexpr uint32_t kSpinsBeforeGivingWay = 64;

// Device code cannot throw; an exception must not cross the fiber's end.
inline __attribute__((always_inline)) void run_body(const ThreadBody& body) {
  std::string what;
  try {
    return body.run(body.closure.get());
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "of an unknown type";
  }
  Report r = here("assert", nullptr);
  r.message = "an exception leaves the kernel: " + what;
  report(r);
  abandon(kLaunchFailure, r.message);
}

}  // namespace

Block::Block(Grid& grid, const Launch& launch)
    : grid_(grid),
      launch_(launch),
      count_(static_cast<uint32_t>(launch.block.count())),
      ordering_(count_),
      rests_(count_),
      states_(count_),
      waits_(count_),
      answers_(count_),
      fibers_(count_),
      order_(count_ + 1),
      ready_(count_),
      pending_((count_ + 31) / 32),
      exited_((count_ + 31) / 32),
      shared_(launch) {
  std::iota(order_.begin(), order_.end() - 1, 0);
  const Dim3& d = launch.block;
  for (uint32_t i = 0; (d.y > 1 || d.z > 1) && i < count_; ++i)
    indices_.push_back({i % d.x, i / d.x % d.y, i / (d.x * d.y)});
}

Block::~Block() {
  for (Fiber* fiber : fibers_) {
    if (fiber) give_fiber(fiber);
  }
}

void Block::begin(uint64_t linear) {
  index_ = grid_.block_index(linear);
  linear_ = static_cast<uint32_t>(linear);
  ordering_.begin(linear_);
  grid_.put_in_order(order_.data(), count_);
  std::fill(states_.begin(), states_.end(), State::kUnstarted);
  std::fill(exited_.begin(), exited_.end(), 0);
  next_ = done_ = at_barrier_ = spinning_ = at_active_mask_ = sweep_ = sweep_end_ = 0;
  usual_ = nullptr;
  barrier_mixed_ = false;
  released_line_ = 0;
  shared_.reset(ordering_.began());
}

// What all threads of the block share: it changes when a barrier opens, and when the block gets the OS
// thread.
void Block::renew_floor() {
  running.since = grid_.resumed_at();
  running.floor_block = running.floor_warp = std::max(ordering_.barrier_time(), running.since - 1);
}

SIM_INLINE void Block::renew_thread(uint32_t thread) {
  running.me = Record{clock_now} << kStampShift | Record{thread} << kThreadShift;
  if (ordering_.a_warp_has_met())
    running.floor_warp = std::max(running.floor_block, ordering_.warp_time(thread / 32));
}

void Block::renew() { renew_thread(running.thread); }

// In a block of one dimension the other two indices stay what run() made them.
SIM_INLINE void Block::take_over(uint32_t thread) {
  running.thread = thread;
  running.spins = 0;
  if (indices_.empty()) {
    thread_idx.x = thread;
  } else {
    thread_idx = indices_[thread];
  }
  renew_thread(thread);
}

Dim3 Block::thread_index(uint32_t thread) const {
  return indices_.empty() ? Dim3{thread, 0, 0} : indices_[thread];
}

// Threads that are able to go on come before new ones, so that few stacks are in use.
Block::Progress Block::run() {
  grid_.resume(linear_);
  running.block = this;
  renew_floor();
  block_idx = index_;
  thread_idx = {0, 0, 0};
  for (;;) {
    if (grid_.given_up()) return Progress::kAbandoned;
    if (somebody_is_ready()) {
      enter({&grid_.scheduler, resume_next()});
    } else if (next_ < count_) {
      enter({&grid_.scheduler, start()});
    } else if (done_ == count_) {
      if (traffic_is_counted()) close_traffic(linear_);
      return Progress::kFinished;
    } else if (resolve_active_masks()) {
      continue;
    } else if (spinning_) {
      for (uint32_t i = 0; i < count_; ++i) {
        if (states_[i] == State::kSpinning) ready(i);
      }
      spinning_ = 0;
      return Progress::kSpinning;
    } else {
      report_stuck();
      return Progress::kAbandoned;
    }
  }
}

// One fiber runs thread after thread; only a thread that waits keeps it.
void* Block::start() {
  running.fiber = take_fiber();
  running.stack = reinterpret_cast<uintptr_t>(running.fiber->stack);
  return nullptr;
}

void Block::fiber_main() {
  Block& block = *running.block;
  Fiber* const fiber = running.fiber;
  while (block.begin_next(fiber)) {
    run_body(block.launch_.body);
    block.finish_current();
  }
  give_fiber(fiber);  // nobody takes it before this one has been left
  void* never;
  sim_switch(&never, block.pass_on(running.thread).to);  // no thread is left that has not started
  __builtin_unreachable();
}

bool Block::begin_next(Fiber* fiber) {
  if (next_ == count_ || somebody_is_ready()) return false;
  const uint32_t thread = order_[next_++];
  fibers_[thread] = fiber;
  rests_[thread].stack = running.stack;
  take_over(thread);
  return true;
}

void Block::finish_current() {
  settle_suspects();
  running.handed = false;
  const uint32_t thread = running.thread;
  fibers_[thread] = nullptr;
  states_[thread] = State::kDone;
  ++done_;
  grid_.progressed();
  exited_[thread / 32] |= 1u << thread % 32;
  if (at_barrier_ && at_barrier_ + done_ == count_) release_barrier();
  if (!pending_[thread / 32].empty()) complete_warps_after_exit(thread / 32);
}

// From the scheduler to whoever `running` names.
void Block::enter(Handoff handoff) {
  running.on_device = true;
  running.quick = !traffic_is_counted();
  running.stack_bytes = kStackBytes;
  hand_on(handoff);
  running.on_device = running.quick = false;
  running.stack_bytes = 0;
}

SIM_INLINE uint32_t Block::next_in_sweep() {
  uint32_t thread;
  do thread = order_[sweep_++];
  while (states_[thread] == State::kDone);
  return thread;
}

// `after` is likely to go on next: its stack is fetched meanwhile.
SIM_INLINE void* Block::resume(uint32_t thread, uint32_t after) {
  const Rest rest = rests_[thread];
  running.stack = rest.stack;
  take_over(thread);
  const char* const soon = static_cast<const char*>(rests_[after].saved);
  __builtin_prefetch(soon);
  __builtin_prefetch(soon + 64);
  __builtin_prefetch(soon + 128);
  return rest.saved;
}

// Somebody is ready.
SIM_INLINE void* Block::resume_next() {
  const uint32_t thread = is_sweeping() ? next_in_sweep() : ready_.pop();
  return resume(thread, is_sweeping() ? order_[sweep_] : ready_.size() ? ready_.front() : thread);
}

// The running thread gives way to the next, and to the scheduler only when nobody is ready.  Switching from
// thread to thread keeps the processor's prediction of returns right: they wait at one place.
Handoff Block::pass_on(uint32_t thread) {
  running.handed = false;
  void** const from = &rests_[thread].saved;
  if (!somebody_is_ready()) return {from, next_ == count_ ? grid_.scheduler : start()};
  void* const to = resume_next();
  return {running.thread == thread ? nullptr : from, to};
}

void Block::suspend(State state, int line, const void* pc) {
  settle_suspects();
  const uint32_t thread = running.thread;
  states_[thread] = state;
  waits_[thread] = {pc, line};
  hand_on(pass_on(thread));
}

void Block::ready(uint32_t thread) {
  states_[thread] = State::kReady;
  ready_.push(thread);
}

// Nothing is called on the usual way, so that the compiler saves no registers there.
Handoff Block::arrive(BarrierKind kind, int predicate, int line, const void* pc) {
  const bool usual = pc == usual_ && kind == BarrierKind::kSync && !running.handed && !running.suspects;
  if (__builtin_expect(!usual, 0)) return arrive_slowly(kind, predicate, {pc, line});
  return wait_at_barrier();
}

SIM_INLINE Handoff Block::wait_at_barrier() {
  const uint32_t thread = running.thread;
  states_[thread] = State::kBarrier;
  if (__builtin_expect(++at_barrier_ + done_ == count_, 0)) return open_and_pass_on(thread);
  if (__builtin_expect(!is_sweeping(), 0)) return pass_on(thread);
  const uint32_t next = next_in_sweep();
  return {&rests_[thread].saved, resume(next, order_[sweep_])};
}

// The last to arrive waits its turn too: the others go on in the order that was asked for.
Handoff Block::open_and_pass_on(uint32_t thread) {
  release_barrier();
  return pass_on(thread);
}

// The first to arrive, and whoever waits elsewhere than the first or has a vote.
Handoff Block::arrive_slowly(BarrierKind kind, bool yes, const Wait& at) {
  let_others_see(at.pc);
  settle_suspects();
  if (!at_barrier_) {
    barrier_ = at;
    barrier_mixed_ = false;
    votes_ = {};
  }
  if (!barrier_mixed_ && at.pc != barrier_.pc) {
    for (uint32_t i = 0; i < count_; ++i) waits_[i] = states_[i] == State::kBarrier ? barrier_ : waits_[i];
    barrier_mixed_ = true;
  }
  usual_ = barrier_mixed_ ? nullptr : barrier_.pc;
  if (barrier_mixed_) waits_[running.thread] = at;
  if (kind != BarrierKind::kSync) votes_.add(yes);
  return wait_at_barrier();
}

// Nobody else is ready, or it would not have opened.
void Block::release_barrier() {
  if (barrier_mixed_) report_divergence();
  barrier_mixed_ = false;
  usual_ = nullptr;
  sweep_ = 0;
  sweep_end_ = count_;
  while (sweep_end_ && states_[order_[sweep_end_ - 1]] == State::kDone) --sweep_end_;
  at_barrier_ = 0;
  released_ = votes_;
  released_line_ = barrier_.line;
  ordering_.barrier();
  renew_floor();
  grid_.progressed();
}

// A spin-wait must let others run, but a histogram's atomics should not make a fiber of every thread.
void Block::give_way(const void* pc) {
  if (running.handed) return give_way_now(pc);
  if (++running.spins < kSpinsBeforeGivingWay) return;
  running.spins = kSpinsBeforeGivingWay - 16;
  give_way_now(pc);
}

void Block::give_way_now(const void* pc) {
  running.last_spin = pc;
  ++spinning_;
  const uint32_t spins = running.spins;
  suspend(State::kSpinning, 0, pc);
  running.spins = spins;
}

uint32_t Block::active_mask(int line, const void* pc) {
  ++at_active_mask_;
  suspend(State::kActiveMask, line, pc);
  return static_cast<uint32_t>(answer().result);
}

// Nobody can go on: whoever stands at one place in one warp is what the warp would execute together.
bool Block::resolve_active_masks() {
  if (!at_active_mask_) return false;
  for (uint32_t warp = 0; warp < pending_.size(); ++warp) {
    std::map<int, uint32_t> together;
    const uint32_t end = std::min(count_, warp * 32 + 32);
    for (uint32_t i = warp * 32; i < end; ++i) {
      if (states_[i] == State::kActiveMask) together[waits_[i].line] |= 1u << i % 32;
    }
    for (uint32_t i = warp * 32; i < end; ++i) {
      if (states_[i] != State::kActiveMask) continue;
      answers_[i].result = together[waits_[i].line];
      ready(i);
    }
  }
  at_active_mask_ = 0;
  grid_.progressed();
  return true;
}

}  // namespace sim
