// Warp collectives: the lanes that a mask names meet, then each gets its result.
#include <algorithm>

#include "block.h"
#include "grid.h"
#include "race.h"
#include "running.h"

namespace sim {

const char* name_of(WarpKind kind) {
  switch (kind) {
    case WarpKind::kSync:
      return "__syncwarp";
    case WarpKind::kShuffle:
      return "__shfl_sync";
    case WarpKind::kShuffleUp:
      return "__shfl_up_sync";
    case WarpKind::kShuffleDown:
      return "__shfl_down_sync";
    case WarpKind::kShuffleXor:
      return "__shfl_xor_sync";
    case WarpKind::kBallot:
      return "__ballot_sync";
    case WarpKind::kAll:
      return "__all_sync";
    case WarpKind::kAny:
      return "__any_sync";
    case WarpKind::kUni:
      return "__uni_sync";
    case WarpKind::kMatchAny:
      return "__match_any_sync";
    case WarpKind::kMatchAll:
      return "__match_all_sync";
    default:
      return "__reduce_sync";
  }
}

namespace {

constexpr uint64_t kPoisonedLane = 0xFFC1FFC1FFC1FFC1ull;  // what a lane that is not there seems to hold

// The lane that a shuffle reads: `lane` itself where CUDA says that the value does not change.
int source(const Collective& c, int lane) {
  const int width = c.width[lane], argument = c.argument[lane];
  const int first = lane / width * width;
  int from = lane;
  switch (c.kind) {
    case WarpKind::kShuffle:
      return first + (argument & (width - 1));
    case WarpKind::kShuffleUp:
      from = lane - argument;
      break;
    case WarpKind::kShuffleDown:
      from = lane + argument;
      break;
    // An exclusive-or may read from an earlier group of the warp, not from a later one.
    case WarpKind::kShuffleXor:
      from = lane ^ argument;
      return from < first + width ? from : lane;
    default:
      break;
  }
  return from >= first && from < first + width ? from : lane;
}

uint64_t combine(WarpKind kind, uint64_t a, uint64_t b) {
  const int32_t sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  const uint32_t ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
  switch (kind) {
    case WarpKind::kAddInt:
      return ua + ub;
    case WarpKind::kMinInt:
      return static_cast<uint32_t>(std::min(sa, sb));
    case WarpKind::kMaxInt:
      return static_cast<uint32_t>(std::max(sa, sb));
    case WarpKind::kMinUnsigned:
      return std::min(ua, ub);
    case WarpKind::kMaxUnsigned:
      return std::max(ua, ub);
    case WarpKind::kAnd:
      return ua & ub;
    case WarpKind::kOr:
      return ua | ub;
    default:
      return ua ^ ub;
  }
}

template <class Visit>
void for_lanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1) visit(__builtin_ctz(mask));
}

uint32_t ballot(const Collective& c) {
  uint32_t bits = 0;
  for_lanes(c.arrived, [&](int lane) { bits |= static_cast<uint32_t>(c.value[lane] != 0) << lane; });
  return bits;
}

uint32_t matching(const Collective& c, int with) {
  uint32_t bits = 0;
  for_lanes(c.arrived,
            [&](int lane) { bits |= static_cast<uint32_t>(c.value[lane] == c.value[with]) << lane; });
  return bits;
}

uint64_t result(const Collective& c, int lane) {
  const uint32_t votes = c.kind >= WarpKind::kBallot && c.kind <= WarpKind::kUni ? ballot(c) : 0;
  switch (c.kind) {
    case WarpKind::kSync:
      return 0;
    case WarpKind::kShuffle:
    case WarpKind::kShuffleUp:
    case WarpKind::kShuffleDown:
    case WarpKind::kShuffleXor: {
      const int from = source(c, lane);
      return c.arrived >> from & 1 ? c.value[from] : kPoisonedLane;
    }
    case WarpKind::kBallot:
      return votes;
    case WarpKind::kAll:
      return votes == c.arrived;
    case WarpKind::kAny:
      return votes != 0;
    case WarpKind::kUni:
      return votes == 0 || votes == c.arrived;
    case WarpKind::kMatchAny:
      return matching(c, lane);
    case WarpKind::kMatchAll:
      return matching(c, lane) == c.arrived ? c.arrived : 0;
    default:
      break;
  }
  uint64_t total = c.value[__builtin_ctz(c.arrived)];
  for_lanes(c.arrived & (c.arrived - 1), [&](int other) { total = combine(c.kind, total, c.value[other]); });
  return total;
}

}  // namespace

uint32_t Block::lanes(uint32_t warp) const {
  const uint32_t n = count_ - warp * 32;
  return n >= 32 ? ~0u : (1u << n) - 1;
}

Handoff Block::meet(WarpKind kind, uint32_t mask, uint64_t value, int argument, int width, int line,
                    const void* pc) {
  settle_suspects();
  const uint32_t thread = running.thread, warp = thread / 32, lane = thread % 32;
  if (!(mask >> lane & 1)) {
    Report r = here("barrier_divergence", pc);
    r.message =
        std::string(name_of(kind)) + ": the mask does not name the calling lane " + std::to_string(lane);
    report(std::move(r));
    mask |= 1u << lane;
  }
  std::vector<Collective>& pending = pending_[warp];
  size_t which = 0;
  while (which < pending.size() && (pending[which].mask != mask || pending[which].kind != kind)) ++which;
  if (which == pending.size()) {
    pending.emplace_back();
    pending.back().kind = kind;
    pending.back().mask = mask;
    pending.back().arrived = 0;
  }
  Collective& c = pending[which];
  c.arrived |= 1u << lane;
  c.value[lane] = value;
  c.argument[lane] = argument;
  c.width[lane] = width;
  states_[thread] = State::kWarp;
  waits_[thread] = {pc, line, kind};
  if (c.arrived == (mask & lanes(warp) & ~exited_[warp])) complete(warp, which);
  return pass_on(thread);
}

void Block::complete(uint32_t warp, size_t which) {
  const Collective c = pending_[warp][which];
  pending_[warp].erase(pending_[warp].begin() + which);
  grid_.progressed();
  if (c.mask & exited_[warp]) report_absent(warp, c);
  // Only __syncwarp orders memory; shuffles and votes do not.
  if (c.kind == WarpKind::kSync) ordering_.warp_barrier(warp, c.mask & lanes(warp), lanes(warp));
  const bool descending = order_[0] > order_[count_ - 1];
  uint32_t lanes_in_order[32];
  uint32_t n = 0;
  for_lanes(c.arrived, [&](int lane) { lanes_in_order[n++] = lane; });
  if (descending) std::reverse(lanes_in_order, lanes_in_order + n);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t lane = lanes_in_order[i];
    const uint64_t given = result(c, lane);
    answers_[warp * 32 + lane] = {given, c.kind == WarpKind::kMatchAll && given};
    ready(warp * 32 + lane);
  }
}

// Undefined by CUDA's rules, and unseen by its sanitizers: a warning.
void Block::report_absent(uint32_t warp, const Collective& c) {
  const uint32_t thread = warp * 32 + __builtin_ctz(c.arrived);
  Report r = here("absent_lane", waits_[thread].pc);
  r.line = waits_[thread].line;
  r.block = index_;
  r.thread = thread_index(thread);
  r.message = std::string(name_of(c.kind)) + ": the mask names " +
              std::to_string(__builtin_popcount(c.mask & exited_[warp])) + " lanes that have returned";
  report(std::move(r));
}

void Block::complete_warps_after_exit(uint32_t warp) {
  for (size_t which = 0; which < pending_[warp].size();) {
    const Collective& c = pending_[warp][which];
    if (c.arrived == (c.mask & lanes(warp) & ~exited_[warp])) {
      complete(warp, which);
    } else {
      ++which;
    }
  }
}

const Answer& Block::answer() const { return answers_[running.thread]; }

}  // namespace sim
