#include "ordering.h"

#include <algorithm>
#include <set>

#include "shadow.h"

namespace sim {
namespace {

constexpr uint32_t kWholeBlock = ~0u;

bool covers(const Release& r, const Earlier& e, uint32_t asking, const void* flag) {
  if (r.block != e.block || (r.scope == FenceScope::kBlock && asking != e.block)) return false;
  return e.stamp <= r.whole || (e.thread == r.thread && e.stamp <= (e.at == flag ? r.flag : r.own)) ||
         (e.thread / 32 == r.thread / 32 && e.stamp <= r.warp);
}

// Follows who had learned from whom.  A flag is looked at again only when more of its releases count.
class Search {
 public:
  Search(const Earlier& earlier, uint32_t asking) : earlier_(earlier), asking_(asking) {}

  bool reaches(const Acquired& from) {
    std::vector<Acquired> open{from};
    while (!open.empty()) {
      const Acquired next = open.back();
      open.pop_back();
      uint32_t& seen = seen_[next.from];
      if (seen >= next.length) continue;
      seen = next.length;
      if (holds(next)) return true;
      for (const uint32_t i : next.from->chained) {
        if (i >= next.length) break;
        const std::vector<Acquired>& earlier = next.from->releases[i].earlier;
        open.insert(open.end(), earlier.begin(), earlier.end());
      }
    }
    return false;
  }

 private:
  bool holds(const Acquired& a) const {
    const auto it = a.from->by_block.find(earlier_.block);
    if (it == a.from->by_block.end()) return false;
    return std::any_of(it->second.begin(), it->second.end(), [&](uint32_t i) {
      return i < a.length && covers(a.from->releases[i], earlier_, asking_, a.from->flag);
    });
  }

  Earlier earlier_;
  uint32_t asking_;
  std::unordered_map<const Handover*, uint32_t> seen_;
};

}  // namespace

void Handover::add(Release release) {
  const uint32_t index = static_cast<uint32_t>(releases.size());
  by_block[release.block].push_back(index);
  if (!release.earlier.empty()) chained.push_back(index);
  releases.push_back(std::move(release));
}

void Ordering::begin(uint32_t block) {
  block_ = block;
  began_ = barrier_ = previous_barrier_ = clock_now;
  a_warp_has_met_ = false;
  std::fill(warps_.begin(), warps_.end(), 0);
  std::fill(previous_warps_.begin(), previous_warps_.end(), 0);
  for (auto& matrix : partial_) matrix.reset();
  block_fences_.clear();
  device_fences_.clear();
  learned_.clear();
  tick();
}

void Ordering::barrier() {
  previous_barrier_ = barrier_;
  barrier_ = clock_now;
  a_warp_has_met_ = false;
  tick();
  for (Learned& l : learned_) l.warp = kWholeBlock;
  forget_superseded(kWholeBlock, ~0u);
}

void Ordering::warp_barrier(uint32_t warp, uint32_t lanes, uint32_t existing) {
  const uint32_t now = clock_now;
  tick();
  for (Learned& l : learned_) {
    if (l.warp != warp || !((l.pending | l.in_block | l.in_device) & lanes)) continue;
    l.in_block |= lanes;
    l.in_device |= lanes;
  }
  if ((lanes & existing) == existing) {
    previous_warps_[warp] = warps_[warp];
    warps_[warp] = now;
    a_warp_has_met_ = true;
    return;
  }
  if (!partial_[warp]) partial_[warp] = std::make_unique<Matrix>(Matrix{});
  Matrix& known = *partial_[warp];
  std::array<uint32_t, 32> joined{};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    for (uint32_t of = 0; of < 32; ++of) joined[of] = std::max(joined[of], known[lane][of]);
    joined[lane] = now;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1) joined[lane] = now;
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1) known[lane] = joined;
  }
}

uint32_t Ordering::known_in_warp(uint32_t thread) const {
  const auto& matrix = partial_[thread / 32];
  const uint32_t whole = warps_[thread / 32];
  if (!matrix) return whole;
  const auto& row = (*matrix)[thread % 32];
  return std::max(whole, *std::max_element(row.begin(), row.end()));
}

void Ordering::fence(uint32_t thread, FenceScope scope) {
  const Fence fence{clock_now, known_in_warp(thread), barrier_};
  tick();
  block_fences_[thread] = fence;
  if (scope == FenceScope::kDevice) device_fences_[thread] = fence;
  const uint32_t warp = thread / 32, lane = 1u << thread % 32;
  for (Learned& l : learned_) {
    if (l.warp != warp || !(l.pending & lane)) continue;
    l.in_block |= lane;
    if (scope == FenceScope::kDevice) l.in_device |= lane;
  }
  forget_superseded(warp, lane);
}

// Of two readings of one flag that count alike, the earlier one says nothing more.
void Ordering::forget_superseded(uint32_t warp, uint32_t lanes) {
  for (Learned& old : learned_) {
    if (old.warp != warp) continue;
    for (const Learned& l : learned_) {
      if (&l == &old || l.warp != warp || l.what.from != old.what.from) continue;
      if (l.what.length < old.what.length || (l.what.length == old.what.length && &l < &old)) continue;
      if (warp == kWholeBlock) {
        old.pending = 0;
        old.in_block = old.in_device = 0;
      } else {
        old.pending &= ~(lanes & (l.pending | l.in_device));
        old.in_block &= ~(lanes & l.in_block);
        old.in_device &= ~(lanes & l.in_device);
      }
    }
  }
  const auto empty = [](const Learned& l) { return !(l.pending | l.in_block | l.in_device); };
  learned_.erase(std::remove_if(learned_.begin(), learned_.end(), empty), learned_.end());
}

void Ordering::release(uint32_t thread, Handover& flag) {
  const auto device = device_fences_.find(thread), block = block_fences_.find(thread);
  if (block == block_fences_.end()) return;
  if (device != device_fences_.end()) add_release(thread, flag, device->second, FenceScope::kDevice);
  if (device == device_fences_.end() || device->second.own < block->second.own)
    add_release(thread, flag, block->second, FenceScope::kBlock);
}

void Ordering::add_release(uint32_t thread, Handover& flag, const Fence& fence, FenceScope scope) {
  Release r{block_, thread, fence.own, fence.warp, fence.whole, clock_now, scope, {}};
  // Everyone fences, everyone meets, one thread raises the flag: the fences come before the meeting.
  if (fence.own > previous_barrier_ && fence.own <= barrier_) r.whole = barrier_;
  const uint32_t warp = thread / 32, lane = thread % 32;
  if (fence.own > previous_warps_[warp] && fence.own <= warps_[warp]) r.warp = warps_[warp];
  for (const Learned& l : learned_) {
    if (l.warp == kWholeBlock || (l.warp == warp && (l.in_device >> lane & 1))) r.earlier.push_back(l.what);
  }
  flag.add(std::move(r));
}

void Ordering::acquire(uint32_t thread, const Handover& flag) {
  const uint32_t length = static_cast<uint32_t>(flag.releases.size());
  if (!length) return;
  const uint32_t warp = thread / 32, lane = 1u << thread % 32;
  for (Learned& l : learned_) {
    if (l.what.from != &flag || l.what.length != length) continue;
    if (l.warp == kWholeBlock) return;
    if (l.warp == warp) {
      l.pending |= lane;
      return;
    }
  }
  learned_.push_back({{&flag, length}, warp, lane, 0, 0});
}

bool Ordering::knows(uint32_t thread, const Earlier& e) const {
  const uint32_t warp = thread / 32, lane = thread % 32;
  if (e.block == block_) {
    if (e.thread == thread || e.stamp <= barrier_) return true;
    if (e.thread / 32 == warp) {
      if (e.stamp <= warps_[warp]) return true;
      if (partial_[warp] && e.stamp <= (*partial_[warp])[lane][e.thread % 32]) return true;
    }
  }
  if (learned_.empty()) return false;
  Search search(e, block_);
  return std::any_of(learned_.begin(), learned_.end(), [&](const Learned& l) {
    const uint32_t lanes = e.block == block_ ? l.in_block : l.in_device;
    return (l.warp == kWholeBlock || (l.warp == warp && (lanes >> lane & 1))) && search.reaches(l.what);
  });
}

}  // namespace sim
