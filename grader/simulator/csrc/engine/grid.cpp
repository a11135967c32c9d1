#include "grid.h"

#include <algorithm>
#include <numeric>

#include "builtins.h"
#include "fault_guard.h"
#include "module.h"
#include "race.h"
#include "running.h"
#include "traffic.h"

namespace sim {

__thread __attribute__((tls_model("initial-exec"))) Running running;
__thread __attribute__((tls_model("initial-exec"))) Dim3 thread_idx __asm__("threadIdx");
__thread __attribute__((tls_model("initial-exec"))) Dim3 block_idx __asm__("blockIdx");
__thread __attribute__((tls_model("initial-exec"))) Dim3 block_dim __asm__("blockDim");
__thread __attribute__((tls_model("initial-exec"))) Dim3 grid_dim __asm__("gridDim");

namespace {

constexpr size_t kResidentThreads = 16 * 1024;
constexpr size_t kResidentBlocks = 32;
constexpr uint64_t kIdleRounds =
    20000;                         // of all resident blocks, in which nobody finished, met or was released
constexpr size_t kExactRuns = 64;  // an allocation touched in more pieces is told as one inexact span

Order order = Order::kAscending;
uint64_t state = 1;

uint64_t random_number() {
  state += 0x9E3779B97F4A7C15ull;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Calls `visit(begin, end)` for each run of set bits until it returns false.
template <class Visit>
void for_runs(const uint64_t* bits, size_t n, Visit visit) {
  size_t i = 0;
  while (i < n) {
    const uint64_t rest = bits[i / 64] >> i % 64;
    if (!rest) {
      i = (i / 64 + 1) * 64;
      continue;
    }
    i += __builtin_ctzll(rest);
    const size_t begin = i;
    while (i < n) {
      const uint64_t holes = ~bits[i / 64] >> i % 64;
      if (holes) {
        i += __builtin_ctzll(holes);
        break;
      }
      i = (i / 64 + 1) * 64;
    }
    i = std::min(i, n);
    if (begin < i && !visit(begin, i)) return;
  }
}

size_t bits_set(const uint64_t* bits, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i <= n / 64; ++i) sum += __builtin_popcountll(bits[i]);
  return sum;
}

void tell(const Allocation& a, const uint64_t* bits, bool write) {
  std::vector<Span> spans;
  size_t last = 0;
  for_runs(bits, a.bytes, [&](size_t begin, size_t end) {
    if (spans.size() < kExactRuns) spans.push_back({a.base + begin, end - begin, write});
    last = end;
    return true;
  });
  if (spans.size() == kExactRuns) {
    const char* const begin = static_cast<const char*>(spans.front().begin);
    spans = {{begin, static_cast<size_t>(a.base + last - begin), write, 1, 0, false}};
  }
  for (const Span& span : spans) touched(span);
}

}  // namespace

void set_order(Order wanted, uint64_t seed) {
  EngineLock lock;
  order = wanted;
  state = seed * 2 + 1;
}

Grid::Grid(const Launch& launch) : launch_(launch), count_(launch.grid.count()) {
  const ModuleRange module = module_of(reinterpret_cast<const void*>(launch.body.run));
  module_begin_ = module.begin;
  module_bytes_ = module.bytes;
  if (order == Order::kRandom && count_ > 1) {
    offset_ = random_number() % count_;
    do stride_ = random_number() % count_;
    while (std::gcd(stride_, count_) != 1);
  }
}

uint64_t Grid::nth_block(uint64_t position) {
  switch (order) {
    case Order::kAscending:
      return position;
    case Order::kDescending:
      return count_ - 1 - position;
    default:
      return static_cast<uint64_t>((offset_ + static_cast<unsigned __int128>(position) * stride_) % count_);
  }
}

void Grid::put_in_order(uint32_t* threads, uint32_t count) const {
  if (order == Order::kAscending) return;
  std::iota(threads, threads + count, 0);
  if (order == Order::kDescending) {
    std::reverse(threads, threads + count);
  } else {
    for (uint32_t i = count; i > 1; --i) std::swap(threads[i - 1], threads[random_number() % i]);
  }
}

Dim3 Grid::block_index(uint64_t linear) const {
  const Dim3& d = launch_.grid;
  return {static_cast<uint32_t>(linear % d.x), static_cast<uint32_t>(linear / d.x % d.y),
          static_cast<uint32_t>(linear / (uint64_t{d.x} * d.y))};
}

void Grid::give_up(Error error, const std::string& cause) {
  // A launch that CUDA refuses costs itself; a fault costs the context.
  if (!given_up_) set_error(error, cause, error != kInvalidValue);
  given_up_ = true;
}

bool Grid::is_readable_host(uintptr_t address) const {
  return address - module_begin_ < module_bytes_ ||
         address - reinterpret_cast<uintptr_t>(launch_.body.closure.get()) < launch_.body.closure_bytes;
}

void Grid::resume(uint32_t block) {
  if (!runs_.empty() && runs_.back().block == block) return;
  tick();
  runs_.push_back({clock_now, block});
}

uint32_t Grid::block_at(uint32_t stamp) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), stamp,
                                      [](uint32_t wanted, const Run& run) { return wanted < run.since; });
  return after == runs_.begin() ? 0 : std::prev(after)->block;
}

void Grid::touch(Allocation& a, bool write, size_t grain) {
  if (!a.touched) {
    touched_.push_back(&a);
    a.shadow = {};
    a.shadow.shared = a.origin == Origin::kShared;
    a.shadow.floor = a.shadow.shared ? running.block->ordering().began() : began_;
    a.shadow.shift = static_cast<uint8_t>(__builtin_ctzll(grain | 16));
    a.read.reset(new uint64_t[a.bytes / 64 + 1]());
    a.written.reset(new uint64_t[a.bytes / 64 + 1]());
  }
  need_plane(a.shadow, a.bytes, write ? &Shadow::writers : &Shadow::readers);
  a.touched |= write ? kTouchedWrite : kTouchedRead;
}

void Grid::tell_spans() {
  for (Allocation* a : touched_) {
    if (traffic_is_counted()) {
      count_unique(*a, name_in_kernel(*a), false, bits_set(a->read.get(), a->bytes));
      count_unique(*a, name_in_kernel(*a), true, bits_set(a->written.get(), a->bytes));
    }
    if (a->origin != Origin::kShared) {
      if (a->touched & kTouchedRead) tell(*a, a->read.get(), false);
      if (a->touched & kTouchedWrite) tell(*a, a->written.get(), true);
    }
    a->touched = 0;
    drop_planes(a->shadow);
    a->read.reset();
    a->written.reset();
  }
}

// A block runs to its end before the next begins, unless it only spins: then others join it.
void Grid::run_blocks() {
  const size_t most = std::clamp<size_t>(kResidentThreads / launch_.block.count(), 1, kResidentBlocks);
  size_t turn = 0;
  uint64_t seen = 0, idle = 0;
  while (!given_up_ && (started_ < count_ || !resident_.empty())) {
    if (started_ < count_ && resident_.size() < most && turn >= resident_.size()) {
      if (spare_.empty()) spare_.push_back(std::make_unique<Block>(*this, launch_));
      resident_.push_back(std::move(spare_.back()));
      spare_.pop_back();
      resident_.back()->begin(nth_block(started_++));
    }
    turn = turn < resident_.size() ? turn : 0;
    const Block::Progress progress = resident_[turn]->run();
    if (progress == Block::Progress::kFinished) {
      spare_.push_back(std::move(resident_[turn]));
      resident_.erase(resident_.begin() + turn);
    } else {
      ++turn;
      idle = progress_ == seen ? idle + 1 : 0;
      seen = progress_;
      if (idle > kIdleRounds && progress == Block::Progress::kSpinning) hang(*resident_[turn - 1]);
    }
  }
}

void Grid::hang(const Block& block) {
  Report r = here("deadlock", running.last_spin);
  r.block = block.index();
  r.thread = block.thread_index(running.thread);
  r.message = "threads wait for a value that nobody writes";
  report(r);
  give_up(kLaunchTimeout, r.message);
}

void Grid::run() {
  const Running outer = running;
  running.grid = this;
  running.code = module_begin_;
  running.fenced = running.suspects = running.handed = false;
  wind_clock();
  began_ = clock_now;
  tick();
  block_dim = launch_.block;
  grid_dim = launch_.grid;
  {
    const FaultGuard guard;
    run_blocks();
  }
  tell_races();
  tell_spans();
  resident_.clear();
  spare_.clear();
  running = outer;
  close_red_zones();
}

void run_grid(const Launch& launch) {
  EngineLock lock;
  Grid(launch).run();
}

}  // namespace sim
