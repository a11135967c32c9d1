#include "block.h"

#include <algorithm>
#include <exception>
#include <map>

#include "builtins.h"
#include "grid.h"
#include "race.h"
#include "running.h"
#include "traffic.h"

namespace sim {
namespace {

constexpr uint32_t kSpinsBeforeGivingWay = 64;

// "0-31" or "5", from ascending numbers.
std::string ranges(const std::vector<uint32_t>& numbers) {
  std::string out;
  for (size_t i = 0; i < numbers.size();) {
    size_t j = i;
    while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
    out += (out.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (j > i) out += "-" + std::to_string(numbers[j]);
    i = j + 1;
  }
  return out;
}

// Device code cannot throw; an exception must not cross the fiber's end.
void run_body(const ThreadBody& body) {
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
      threads_(count_),
      ready_(count_),
      pending_((count_ + 31) / 32),
      exited_((count_ + 31) / 32),
      shared_(launch) {
  const Dim3& d = launch.block;
  for (uint32_t i = 0; (d.y > 1 || d.z > 1) && i < count_; ++i)
    indices_.push_back({i % d.x, i / d.x % d.y, i / (d.x * d.y)});
}

Block::~Block() {
  for (Thread& thread : threads_) {
    if (thread.fiber) give_fiber(thread.fiber);
  }
}

void Block::begin(uint64_t linear) {
  index_ = grid_.block_index(linear);
  linear_ = static_cast<uint32_t>(linear);
  ordering_.begin(linear_);
  order_ = grid_.thread_order();
  for (Thread& thread : threads_) thread.state = State::kUnstarted;
  std::fill(exited_.begin(), exited_.end(), 0);
  next_ = done_ = at_barrier_ = spinning_ = at_active_mask_ = 0;
  barrier_mixed_ = false;
  released_line_ = 0;
  shared_.reset(ordering_.began());
}

void Block::renew() {
  running.me = Record{clock_now} << kStampShift | Record{running.thread} << kThreadShift;
  running.since = grid_.resumed_at();
  running.floor_block = std::max(ordering_.barrier_time(), running.since - 1);
  running.floor_warp = std::max(running.floor_block, ordering_.warp_time(running.thread / 32));
}

// In a block of one dimension the other two stay what run() made them.
inline void Block::set_thread_index(uint32_t thread) {
  if (indices_.empty()) {
    thread_idx.x = thread;
  } else {
    thread_idx = indices_[thread];
  }
}

Dim3 Block::thread_index(uint32_t thread) const {
  return indices_.empty() ? Dim3{thread, 0, 0} : indices_[thread];
}

// Threads that are able to go on come before new ones, so that few stacks are in use.
Block::Progress Block::run() {
  grid_.resume(linear_);
  running.block = this;
  block_idx = index_;
  thread_idx = {0, 0, 0};
  for (;;) {
    if (grid_.given_up()) return Progress::kAbandoned;
    if (!ready_.empty()) {
      enter(resume(ready_.pop()));
    } else if (next_ < count_) {
      enter(start());
    } else if (done_ == count_) {
      if (traffic_is_counted()) close_traffic(linear_);
      return Progress::kFinished;
    } else if (resolve_active_masks()) {
      continue;
    } else if (spinning_) {
      for (uint32_t i = 0; i < count_; ++i) {
        if (threads_[i].state == State::kSpinning) ready(i);
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
  running.fiber = take_fiber(&Block::fiber_main);
  running.stack = reinterpret_cast<uintptr_t>(running.fiber->stack);
  running.stack_bytes = running.fiber->bytes;
  return running.fiber->saved;
}

void Block::fiber_main() {
  Block& block = *running.block;
  while (block.begin_next()) {
    run_body(block.launch_.body);
    block.finish_current();
  }
  give_fiber(running.fiber);  // nobody takes it before this one has been left
  void* never;
  block.pass_on(&never);
  __builtin_unreachable();
}

bool Block::begin_next() {
  if (next_ == count_ || !ready_.empty()) return false;
  const uint32_t thread = order_.empty() ? next_ : order_[next_];
  ++next_;
  threads_[thread].fiber = running.fiber;
  threads_[thread].state = State::kRunning;
  running.thread = thread;
  running.spins = 0;
  running.handed = false;
  set_thread_index(thread);
  renew();
  return true;
}

void Block::finish_current() {
  settle_suspects();
  const uint32_t thread = running.thread;
  threads_[thread].fiber = nullptr;
  threads_[thread].state = State::kDone;
  ++done_;
  grid_.progressed();
  exited_[thread / 32] |= 1u << thread % 32;
  if (at_barrier_ && at_barrier_ + done_ == count_) release_barrier();
  if (!pending_[thread / 32].empty()) complete_warps_after_exit(thread / 32);
}

// From the scheduler to whoever `running` names.
void Block::enter(void* saved) {
  running.on_device = true;
  running.quick = !traffic_is_counted();
  sim_switch(&grid_.scheduler, saved);
  running.on_device = running.quick = false;
  running.stack_bytes = 0;
}

void* Block::resume(uint32_t thread) {
  Fiber* const fiber = threads_[thread].fiber;
  running.fiber = fiber;
  running.stack = reinterpret_cast<uintptr_t>(fiber->stack);
  running.stack_bytes = fiber->bytes;
  running.thread = thread;
  running.spins = 0;
  running.handed = false;
  threads_[thread].state = State::kRunning;
  set_thread_index(thread);
  renew();
  if (!ready_.empty()) __builtin_prefetch(threads_[ready_.front()].saved);
  return threads_[thread].saved;
}

// The running thread gives way to the next, and to the scheduler only when nobody is ready.  Switching from
// thread to thread keeps the processor's prediction of returns right: they wait at one place.
void Block::pass_on(void** saved) {
  if (grid_.given_up() || (ready_.empty() && next_ == count_)) return sim_switch(saved, grid_.scheduler);
  if (ready_.empty()) return sim_switch(saved, start());
  const uint32_t next = ready_.pop();
  void* const to = resume(next);
  if (saved != &threads_[next].saved) sim_switch(saved, to);  // who waits may be the next itself
}

void Block::wait_for_turn() {
  const uint32_t thread = running.thread;
  pass_on(&threads_[thread].saved);
}

void Block::suspend(State state, Wait wait) {
  settle_suspects();
  Thread& thread = threads_[running.thread];
  thread.state = state;
  thread.wait = wait;
  wait_for_turn();
}

void Block::ready(uint32_t thread) {
  threads_[thread].state = State::kReady;
  ready_.push(thread);
}

int Block::barrier(BarrierKind kind, int predicate, int line, const void* pc) {
  let_others_see(pc);
  settle_suspects();
  if (!at_barrier_) {
    barrier_line_ = line;
    barrier_mixed_ = false;
    votes_ = {};
  }
  barrier_mixed_ |= line != barrier_line_;
  votes_.count += predicate != 0;
  votes_.all &= predicate != 0;
  votes_.any |= predicate != 0;
  ++at_barrier_;
  threads_[running.thread].state = State::kBarrier;
  threads_[running.thread].wait = {"__syncthreads", line, pc};
  if (at_barrier_ + done_ == count_) {
    release_barrier();
  }
  // The last to arrive waits its turn too: the others go on in the order that was asked for.
  wait_for_turn();
  return kind == BarrierKind::kCount ? released_.count
         : kind == BarrierKind::kAnd ? released_.all
                                     : released_.any;
}

void Block::release_barrier() {
  if (barrier_mixed_) report_divergence();
  at_barrier_ = 0;
  released_ = votes_;
  released_line_ = barrier_line_;
  ordering_.barrier();
  grid_.progressed();
  for (uint32_t position = 0; position < count_; ++position) {
    const uint32_t i = order_.empty() ? position : order_[position];
    if (threads_[i].state == State::kBarrier) ready(i);
  }
}

void Block::report_divergence() {
  Report r = here("barrier_divergence", nullptr);
  for (uint32_t i = 0; i < count_; ++i) {
    if (threads_[i].state != State::kBarrier || threads_[i].wait.line == barrier_line_) continue;
    r.thread = thread_index(i);
    r.line = threads_[i].wait.line;
    r.pc = threads_[i].wait.pc;
    break;
  }
  r.block = index_;
  r.message = "threads of one block wait at different barriers: " + waiting();
  report(std::move(r));
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
  suspend(State::kSpinning, {"a spin-wait", 0, pc});
  running.spins = spins;
}

uint32_t Block::active_mask(int line, const void* pc) {
  ++at_active_mask_;
  suspend(State::kActiveMask, {"__activemask", line, pc});
  return static_cast<uint32_t>(threads_[running.thread].result);
}

// Nobody can go on: whoever stands at one place in one warp is what the warp would execute together.
bool Block::resolve_active_masks() {
  if (!at_active_mask_) return false;
  for (uint32_t warp = 0; warp < pending_.size(); ++warp) {
    std::map<int, uint32_t> together;
    const uint32_t end = std::min(count_, warp * 32 + 32);
    for (uint32_t i = warp * 32; i < end; ++i) {
      if (threads_[i].state == State::kActiveMask) together[threads_[i].wait.line] |= 1u << i % 32;
    }
    for (uint32_t i = warp * 32; i < end; ++i) {
      if (threads_[i].state != State::kActiveMask) continue;
      threads_[i].result = together[threads_[i].wait.line];
      ready(i);
    }
  }
  at_active_mask_ = 0;
  grid_.progressed();
  return true;
}

std::string Block::waiting() const {
  std::map<std::pair<std::string, int>, std::vector<uint32_t>> places;
  std::vector<uint32_t> exited;
  for (uint32_t i = 0; i < count_; ++i) {
    const Thread& t = threads_[i];
    if (t.state == State::kDone)
      exited.push_back(i);
    else if (t.state != State::kUnstarted && t.state != State::kRunning && t.state != State::kReady)
      places[{t.wait.what, t.wait.line}].push_back(i);
  }
  std::string out;
  for (const auto& [place, threads] : places) {
    out += (out.empty() ? "" : "; ") + std::string("threads ") + ranges(threads) + " at " + place.first;
    if (place.second) out += ", line " + std::to_string(place.second);
  }
  if (!exited.empty()) out += "; threads " + ranges(exited) + " have returned";
  return out;
}

void Block::report_stuck() {
  Report r = here("deadlock", nullptr);
  for (uint32_t i = 0; i < count_ && !r.pc; ++i) {
    if (threads_[i].state == State::kDone) continue;
    r.thread = thread_index(i);
    r.line = threads_[i].wait.line;
    r.pc = threads_[i].wait.pc;
  }
  r.block = index_;
  r.message = "no thread of the block can go on: " + waiting();
  report(r);
  grid_.give_up(kLaunchTimeout, r.message);
}

}  // namespace sim
