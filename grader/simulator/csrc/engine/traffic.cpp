#include "traffic.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "grid.h"
#include "json.h"

namespace sim {
namespace {

constexpr uintptr_t kSector = 32, kBank = 4, kBanks = 32;

struct Lane {
  uintptr_t at;
  uint32_t bytes;
};

// The accesses of one warp at one place: lane by lane, as often as each comes by.
struct Visits {
  std::array<std::vector<Lane>, 32> lanes;
  bool shared = false;
};

struct Totals {
  int64_t accesses = 0, requests = 0, bytes = 0, sectors = 0, wavefronts = 0, conflicts = 0;
};

struct Unique {
  std::string kernel, argument;
  int launch_line;
  bool write;
  int64_t bytes;
};

using Place = std::tuple<std::string, const void*, Access, bool>;  // kernel, pc, access, shared
using Open = std::tuple<uint32_t, const void*, Access, uint32_t>;  // block, pc, access, warp

bool counted = false;
std::map<Open, Visits> open;
std::map<Place, Totals> totals;
std::vector<Unique> uniques;

int64_t sectors_of(const std::vector<Lane>& request) {
  std::set<uintptr_t> sectors;
  for (const Lane& lane : request) {
    for (uintptr_t s = lane.at / kSector; s <= (lane.at + lane.bytes - 1) / kSector; ++s) sectors.insert(s);
  }
  return static_cast<int64_t>(sectors.size());
}

// Lanes of up to 128 bytes together meet the 32 banks at once; of several words in one bank, one goes first.
int64_t wavefronts_of(const std::vector<Lane>& request, int64_t* least) {
  const size_t together = std::max<size_t>(1, 128 / std::max<uint32_t>(4, request.front().bytes));
  int64_t fronts = 0;
  for (size_t begin = 0; begin < request.size(); begin += together) {
    std::array<std::set<uintptr_t>, kBanks> words;
    for (size_t i = begin; i < std::min(request.size(), begin + together); ++i) {
      for (uintptr_t w = request[i].at / kBank; w <= (request[i].at + request[i].bytes - 1) / kBank; ++w)
        words[w % kBanks].insert(w);
    }
    size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    fronts += static_cast<int64_t>(most);
    ++*least;
  }
  return fronts;
}

void add(Totals& t, const Visits& visits) {
  for (size_t turn = 0;; ++turn) {
    std::vector<Lane> request;
    for (const auto& lane : visits.lanes) {
      if (turn < lane.size()) request.push_back(lane[turn]);
    }
    if (request.empty()) return;
    ++t.requests;
    t.accesses += static_cast<int64_t>(request.size());
    for (const Lane& lane : request) t.bytes += lane.bytes;
    if (visits.shared) {
      int64_t least = 0;
      const int64_t fronts = wavefronts_of(request, &least);
      t.wavefronts += fronts;
      t.conflicts += fronts - least;
    } else {
      t.sectors += sectors_of(request);
    }
  }
}

const char* name_of(Access access) {
  return access == Access::kRead ? "read" : access == Access::kWrite ? "write" : "atomic";
}

}  // namespace

void set_traffic(bool wanted) { counted = wanted; }
bool traffic_is_counted() { return counted; }

void count_traffic(const Allocation& a, const void* p, size_t bytes, Access access, const void* pc) {
  Visits& visits = open[{running.block->linear(), pc, access, running.thread / 32}];
  visits.shared = a.origin == Origin::kShared;
  visits.lanes[running.thread % 32].push_back({reinterpret_cast<uintptr_t>(p), static_cast<uint32_t>(bytes)});
}

void close_traffic(uint32_t block) {
  const std::string kernel = running.grid->launch().kernel;
  auto it = open.lower_bound({block, nullptr, Access::kRead, 0});
  while (it != open.end() && std::get<0>(it->first) == block) {
    add(totals[{kernel, std::get<1>(it->first), std::get<2>(it->first), it->second.shared}], it->second);
    it = open.erase(it);
  }
}

void count_unique(const Allocation& a, const std::string& argument, bool write, size_t bytes) {
  if (!bytes || a.origin == Origin::kShared) return;
  const Launch& launch = running.grid->launch();
  uniques.push_back({launch.kernel, argument, launch.line, write, static_cast<int64_t>(bytes)});
}

std::string take_traffic() {
  EngineLock lock;
  std::string lines, unique;
  for (const auto& [place, t] : totals) {
    json::Object o;
    o.add("kernel", std::get<0>(place)).add("pc", module_and_offset(std::get<1>(place)));
    o.add("access", name_of(std::get<2>(place))).add("space", std::get<3>(place) ? "shared" : "global");
    o.add("accesses", t.accesses).add("requests", t.requests).add("bytes", t.bytes);
    o.add("sectors", t.sectors).add("wavefronts", t.wavefronts).add("conflicts", t.conflicts);
    lines += (lines.empty() ? "" : ",\n ") + o.str();
  }
  for (const Unique& u : uniques) {
    json::Object o;
    o.add("kernel", u.kernel).add("launch_line", u.launch_line).add("argument", u.argument);
    o.add("access", u.write ? "write" : "read").add("bytes", u.bytes);
    unique += (unique.empty() ? "" : ",\n ") + o.str();
  }
  totals.clear();
  uniques.clear();
  open.clear();
  return "{\"lines\": [" + lines + "], \"unique\": [" + unique + "]}";
}

}  // namespace sim
