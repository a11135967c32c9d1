// What is told of threads that wait and cannot go on, or wait at different places.
#include <cstdio>
#include <map>

#include "block.h"
#include "grid.h"
#include "running.h"

namespace sim {

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

const Wait& Block::wait_of(uint32_t thread) const {
  return states_[thread] == State::kBarrier && !barrier_mixed_ ? barrier_ : waits_[thread];
}

const char* Block::waits_at(uint32_t thread) const {
  switch (states_[thread]) {
    case State::kBarrier:
      return "__syncthreads";
    case State::kWarp:
      return name_of(waits_[thread].kind);
    case State::kActiveMask:
      return "__activemask";
    case State::kSpinning:
      return "a spin-wait";
    default:
      return nullptr;
  }
}

std::string Block::waiting() const {
  std::map<std::pair<std::string, int>, std::vector<uint32_t>> places;
  std::vector<uint32_t> exited;
  for (uint32_t i = 0; i < count_; ++i) {
    if (states_[i] == State::kDone)
      exited.push_back(i);
    else if (const char* const what = waits_at(i))
      places[{what, wait_of(i).line}].push_back(i);
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
  if (report_disagreement()) return;
  Report r = here("deadlock", nullptr);
  for (uint32_t i = 0; i < count_ && !r.pc; ++i) {
    if (states_[i] == State::kDone) continue;
    r.thread = thread_index(i);
    r.line = wait_of(i).line;
    r.pc = wait_of(i).pc;
  }
  r.block = index_;
  r.message = "no thread of the block can go on: " + waiting();
  report(r);
  grid_.give_up(kLaunchTimeout, r.message);
}

// Barriers of one line count as one: a loop that was unrolled has several.
void Block::report_divergence() {
  const auto elsewhere = [&](uint32_t i) {
    return states_[i] == State::kBarrier && waits_[i].line != barrier_.line;
  };
  uint32_t first = 0;
  while (first < count_ && !elsewhere(first)) ++first;
  if (first == count_) return;
  Report r = here("barrier_divergence", nullptr);
  r.thread = thread_index(first);
  r.line = waits_[first].line;
  r.pc = waits_[first].pc;
  r.block = index_;
  r.message = "threads of one block wait at different barriers: " + waiting();
  report(std::move(r));
}

// Nobody can go on: is that because one warp operation waits for lanes that wait at another?
bool Block::report_disagreement() {
  for (uint32_t warp = 0; warp < pending_.size(); ++warp) {
    uint32_t missed = 0, waiting = 0;
    for (const Collective& c : pending_[warp]) {
      missed |= c.mask & ~c.arrived;
      waiting |= c.arrived;
    }
    if (!(missed & waiting)) continue;
    const uint32_t first = warp * 32 + __builtin_ctz(waiting);
    Report r = here("warp_divergence", waits_[first].pc);
    r.line = waits_[first].line;
    r.block = index_;
    r.thread = thread_index(first);
    r.message = "lanes of warp " + std::to_string(warp) +
                " wait for each other at different places: " + meeting_places(warp);
    report(r);
    grid_.give_up(kLaunchTimeout, r.message);
    return true;
  }
  return false;
}

// "lanes 0-15 at __shfl_sync with mask 0xffffffff, line 12; ..."
std::string Block::meeting_places(uint32_t warp) const {
  std::string out;
  for (const Collective& c : pending_[warp]) {
    std::map<int, std::vector<uint32_t>> lines;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (c.arrived >> lane & 1) lines[waits_[warp * 32 + lane].line].push_back(lane);
    }
    char mask[16];
    snprintf(mask, sizeof mask, "0x%08x", c.mask);
    for (const auto& [line, lanes] : lines) {
      out += (out.empty() ? "lanes " : "; lanes ") + ranges(lanes) + " at " + name_of(c.kind) +
             " with mask " + mask + ", line " + std::to_string(line);
    }
  }
  return out;
}

}  // namespace sim
