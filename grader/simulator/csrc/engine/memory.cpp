#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <set>

#include "arena.h"
#include "report.h"
#include "stream.h"

namespace sim {

char* arena_begin = nullptr;
char* arena_end = nullptr;
Allocation** granules = nullptr;

namespace {

constexpr size_t kGranule = size_t{1} << kGranuleShift;
constexpr size_t kLargestRedZone = 64ull << 20;
constexpr size_t kQuarantineBytes = 64ull << 20;
constexpr size_t kQuarantineCount = 4096;
constexpr size_t kPoisonFile = 32ull << 20;  // allocations of this size and more are poisoned by mapping it
constexpr size_t kRemembered = 65536;        // freed allocations that a report can still name
constexpr uint64_t kPoison = 0xFFC1FFC1FFC1FFC1ull;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
size_t page() {
  static const size_t size = sysconf(_SC_PAGESIZE);
  return size;
}

struct Range {
  char* begin = nullptr;
  char* end = nullptr;
  char* cursor = nullptr;
  std::map<char*, char*> free;  // begin to end, no two adjacent
  size_t in_use = 0;
};

struct Arena {
  Range ranges[kDevices + 1];
  std::map<char*, std::unique_ptr<Allocation>> by_base;
  std::map<uint64_t, const Allocation*> live;  // by id, in the order of their making
  std::deque<Allocation*> quarantine;
  size_t quarantine_bytes = 0;
  std::deque<std::pair<char*, uint64_t>> freed;  // base and id, oldest first
  std::set<char*> opened;                        // pages of red zones that can be touched now
  uint64_t next_id = 1;
  Arena();
};

// A fixed address makes addresses in reports the same in every run; any other works as well.
char* reserve(size_t bytes, uintptr_t hint) {
  void* p = mmap(reinterpret_cast<void*>(hint), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

Arena::Arena() {
  size_t each = 256ull << 30;
  char* begin = nullptr;
  while (!(begin = reserve(each * (kDevices + 1), 0x200000000000)) && each > (4ull << 30)) each /= 2;
  if (!begin) throw std::bad_alloc();
  const size_t table = each * (kDevices + 1) / kGranule * sizeof(Allocation*);
  void* p = mmap(nullptr, table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  granules = static_cast<Allocation**>(p);
  for (int i = 0; i <= kDevices; ++i) {
    Range& range = ranges[i];
    range.begin = range.cursor = begin + i * each;
    range.end = range.begin + each;
    range.free[range.begin] = range.end;
  }
  arena_begin = begin;
  arena_end = begin + each * (kDevices + 1);
}

Arena& arena() {
  static Arena* the = new Arena;  // never destroyed: tensors may outlive static destructors
  return *the;
}

size_t red_zone(size_t bytes) { return round_up(std::clamp(bytes, kGranule, kLargestRedZone), kGranule); }

void fill(void* p, size_t bytes) {
  char* at = static_cast<char*>(p);
  const char* pattern = reinterpret_cast<const char*>(&kPoison);
  while (bytes && reinterpret_cast<uintptr_t>(at) % 8)
    *at = pattern[reinterpret_cast<uintptr_t>(at) % 8], ++at, --bytes;
  std::fill_n(reinterpret_cast<uint64_t*>(at), bytes / 8, kPoison);
  memcpy(at + bytes / 8 * 8, pattern, bytes % 8);
}

// One file of poison, mapped as often as it takes: pages that nobody writes to cost no memory.
int poison_file() {
  static const int file = [] {
    const int fd = memfd_create("poison", MFD_CLOEXEC);
    void* p = fd < 0 || ftruncate(fd, kPoisonFile)
                  ? MAP_FAILED
                  : mmap(nullptr, kPoisonFile, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return -1;
    fill(p, kPoisonFile);
    munmap(p, kPoisonFile);
    return fd;
  }();
  return file;
}

bool map_poison(char* base, size_t bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  for (size_t at = 0; at < bytes; at += kPoisonFile) {
    const size_t part = std::min(kPoisonFile, bytes - at);
    if (mmap(base + at, part, PROT_READ | PROT_WRITE, kFlags, poison_file(), 0) == MAP_FAILED) return false;
  }
  return true;
}

// `bytes` is a number of pages.
void poison_pages(char* base, size_t bytes) {
  if (bytes < kPoisonFile || poison_file() < 0 || !map_poison(base, bytes)) fill(base, bytes);
}

void forget(Allocation* allocation);

// A fresh mapping merges with the reserved ones around it.  One that was written to would not, and the kernel
// allows a process some 65,000.
void reserve_again(char* begin, size_t bytes) {
  mmap(begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// Next fit: the search goes on where the last one ended, so freed addresses are the last to come back.
char* take_region(Range& range, size_t bytes) {
  for (int pass = 0; pass < 2; ++pass) {
    auto it = range.free.upper_bound(range.cursor);
    if (it != range.free.begin() && std::prev(it)->second > range.cursor) --it;
    for (; it != range.free.end(); ++it) {
      char* const begin = std::max(it->first, range.cursor);
      if (it->second < begin + bytes) continue;
      char* const hole = it->first;
      char* const end = it->second;
      range.free.erase(it);
      if (hole < begin) range.free[hole] = begin;
      if (begin + bytes < end) range.free[begin + bytes] = end;
      range.cursor = begin + bytes;
      return begin;
    }
    range.cursor = range.begin;
  }
  return nullptr;
}

void give_region(Range& range, char* begin, char* end) {
  auto after = range.free.lower_bound(begin);
  if (after != range.free.end() && after->first == end) {
    end = after->second;
    after = range.free.erase(after);
  }
  if (after != range.free.begin() && std::prev(after)->second == begin) {
    std::prev(after)->second = end;
  } else {
    range.free[begin] = end;
  }
}

// Drops the records of freed allocations that lie in a region about to be used again.
void reclaim(char* region, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += kGranule) {
    if (Allocation* old = granules[(region + offset - arena_begin) >> kGranuleShift]) forget(old);
  }
}

void forget(Allocation* old) {
  Arena& a = arena();
  if (old->resident) {
    a.quarantine.erase(std::find(a.quarantine.begin(), a.quarantine.end(), old));
    a.quarantine_bytes -= old->bytes;
    reserve_again(old->base, round_up(old->bytes, page()));
  }
  Allocation** first = granules + ((old->region - arena_begin) >> kGranuleShift);
  std::fill_n(first, old->region_bytes >> kGranuleShift, nullptr);
  forget_accesses(old->id);
  a.by_base.erase(old->base);
}

void forget_oldest() {
  Arena& a = arena();
  const auto [base, id] = a.freed.front();
  a.freed.pop_front();
  const auto it = a.by_base.find(base);
  if (it != a.by_base.end() && it->second->id == id) forget(it->second.get());
}

void give_back_pages(Allocation* old) {
  reserve_again(old->base, round_up(old->bytes, page()));
  old->resident = false;
}

void give_back_oldest() {
  Arena& a = arena();
  Allocation* const oldest = a.quarantine.front();
  a.quarantine.pop_front();
  a.quarantine_bytes -= oldest->bytes;
  give_back_pages(oldest);
}

// The kernel counts mappings, and what is in quarantine has two of them.
bool make_accessible(char* base, size_t bytes) {
  while (mprotect(base, bytes, PROT_READ | PROT_WRITE)) {
    if (arena().quarantine.empty()) return false;
    give_back_oldest();
  }
  return true;
}

void set_bits(uint64_t* bits, size_t begin, size_t end, bool value) {
  for (; begin < end && begin % 64; ++begin)
    value ? bits[begin / 64] |= 1ull << begin % 64 : bits[begin / 64] &= ~(1ull << begin % 64);
  const size_t words = begin < end ? (end - begin) / 64 : 0;
  std::fill_n(bits + begin / 64, words, value ? ~0ull : 0);
  for (begin += words * 64; begin < end; ++begin)
    value ? bits[begin / 64] |= 1ull << begin % 64 : bits[begin / 64] &= ~(1ull << begin % 64);
}

// The part of [p, p + bytes) inside a living allocation, as offsets.
struct Part {
  Allocation* allocation = nullptr;
  size_t begin = 0, end = 0;
};

Part part(const void* p, size_t bytes) {
  Allocation* allocation = find_mutable(p);
  if (!allocation || allocation->freed) return {};
  const char* const at = static_cast<const char*>(p);
  if (at < allocation->base || at >= allocation->base + allocation->bytes) return {};
  const size_t begin = at - allocation->base;
  return {allocation, begin, std::min(allocation->bytes, begin + bytes)};
}

}  // namespace

void* allocate_region(int device, size_t bytes, Origin origin, Stream* stream) {
  EngineLock lock;
  Arena& a = arena();
  Range& range = a.ranges[device];
  const size_t left = red_zone(bytes / 4), right = red_zone(bytes);
  const size_t whole = left + round_up(std::max<size_t>(bytes, 1), kGranule) + right;
  char* const region = take_region(range, whole);
  if (!region) return nullptr;
  reclaim(region, whole);
  char* const base = region + left;
  const size_t backed = round_up(std::max<size_t>(bytes, 1), page());
  if (!make_accessible(base, backed)) {
    give_region(range, region, region + whole);
    return nullptr;
  }
  poison_pages(base, backed);
  auto record = std::make_unique<Allocation>();
  record->id = a.next_id++;
  record->base = base;
  record->bytes = record->limit = bytes;
  record->device = device;
  record->origin = origin;
  record->stream = stream;
  record->initialised.reset(new uint64_t[bytes / 64 + 1]());
  record->region = region;
  record->region_bytes = whole;
  std::fill_n(granules + ((region - arena_begin) >> kGranuleShift), whole >> kGranuleShift, record.get());
  a.live[record->id] = record.get();
  a.by_base[base] = std::move(record);
  range.in_use += bytes;
  return base;
}

void* allocate(int device, size_t bytes, Origin origin, Stream* stream) {
  EngineLock lock;
  if (bytes == 0 || bytes > kDeviceBytes - std::min(kDeviceBytes, bytes_in_use(device))) return nullptr;
  return allocate_region(device, bytes, origin, stream);
}

void release(void* pointer, const std::string& by) {
  if (!pointer) return;
  EngineLock lock;
  Arena& a = arena();
  const auto it = a.by_base.find(static_cast<char*>(pointer));
  if (it == a.by_base.end() || it->second->freed) {
    Report r;
    r.kind = it == a.by_base.end() ? "illegal_address" : "double_free";
    r.message = it == a.by_base.end() ? by + ": no allocation starts at this address"
                                      : by + ": already freed by " + it->second->freed_by;
    report(std::move(r));
    return;
  }
  Allocation* const old = it->second.get();
  old->freed = true;
  a.live.erase(old->id);
  old->freed_by = by;
  old->limit = 0;
  old->initialised.reset();
  poison_pages(old->base, round_up(old->bytes, page()));
  Range& range = a.ranges[old->device];
  range.in_use -= old->bytes;
  give_region(range, old->region, old->region + old->region_bytes);
  a.freed.emplace_back(old->base, old->id);
  if (a.freed.size() > kRemembered) forget_oldest();
  a.quarantine.push_back(old);
  a.quarantine_bytes += old->bytes;
  while (a.quarantine_bytes > kQuarantineBytes || a.quarantine.size() > kQuarantineCount) give_back_oldest();
}

Allocation* find_mutable(const void* p) {
  return owns(p) ? granules[(static_cast<const char*>(p) - arena_begin) >> kGranuleShift] : nullptr;
}

const Allocation* find(const void* p) { return find_mutable(p); }

std::vector<const Allocation*> live_allocations(int device) {
  EngineLock lock;
  std::vector<const Allocation*> live;
  for (const auto& [id, allocation] : arena().live)
    if (allocation->device == device) live.push_back(allocation);
  return live;
}

void mark_initialised(const void* p, size_t bytes) {
  EngineLock lock;
  const Part at = part(p, bytes);
  if (!at.allocation || at.allocation->all_initialised) return;
  set_bits(at.allocation->initialised.get(), at.begin, at.end, true);
  if (at.begin == 0 && at.end == at.allocation->bytes) at.allocation->all_initialised = true;
}

void mark_uninitialised(const void* p, size_t bytes) {
  EngineLock lock;
  const Part at = part(p, bytes);
  if (!at.allocation || at.begin == at.end) return;
  if (at.allocation->all_initialised)
    set_bits(at.allocation->initialised.get(), 0, at.allocation->bytes, true);
  at.allocation->all_initialised = false;
  set_bits(at.allocation->initialised.get(), at.begin, at.end, false);
}

bool is_initialised(const void* p, size_t bytes) {
  const Part at = part(p, bytes);
  if (!at.allocation) return !owns(p);
  if (at.allocation->all_initialised) return true;
  const uint64_t* const bits = at.allocation->initialised.get();
  for (size_t i = at.begin; i < at.end;) {
    if (i % 64 == 0 && at.end - i >= 64) {
      if (~bits[i / 64]) return false;
      i += 64;
    } else {
      if (!(bits[i / 64] >> i % 64 & 1)) return false;
      ++i;
    }
  }
  return true;
}

void copy_bytes(void* to, const void* from, size_t bytes) {
  EngineLock lock;
  memmove(to, from, bytes);
  const Part source = part(from, bytes), target = part(to, bytes);
  if (!target.allocation) return;
  if (!source.allocation || source.allocation->all_initialised || is_initialised(from, bytes)) {
    mark_initialised(to, bytes);
    return;
  }
  const size_t n = std::min(source.end - source.begin, target.end - target.begin);
  std::vector<bool> bits(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t at = source.begin + i;
    bits[i] = source.allocation->initialised[at / 64] >> at % 64 & 1;
  }
  mark_uninitialised(to, n);
  for (size_t i = 0; i < n; ++i) {
    if (bits[i]) set_bits(target.allocation->initialised.get(), target.begin + i, target.begin + i + 1, true);
  }
}

void poison(void* p, size_t bytes) {
  EngineLock lock;
  fill(p, bytes);
  mark_uninitialised(p, bytes);
}

size_t bytes_in_use(int device) {
  EngineLock lock;
  return arena().ranges[device].in_use;
}

void* symbol_address(const void* symbol) {
  const Allocation* allocation = find(symbol);
  return allocation && allocation->origin == Origin::kSymbol ? const_cast<void*>(symbol) : nullptr;
}

void name_allocation(void* pointer, const char* name, uint32_t element_bytes) {
  EngineLock lock;
  if (Allocation* allocation = find_mutable(pointer)) {
    allocation->name = name;
    allocation->element_bytes = element_bytes;
  }
}

void open_red_zone(Allocation& allocation, const char* p, size_t bytes) {
  EngineLock lock;
  const size_t size = page();
  char* const backed_end = allocation.base + round_up(std::max<size_t>(allocation.bytes, 1), size);
  char* at = arena_begin + (p - arena_begin) / size * size;
  for (; at < p + bytes; at += size) {
    if (at >= allocation.base && at < backed_end) {
      arena().opened.insert(backed_end - size);  // the slack of the last page, to be poisoned again
    } else if (!arena().opened.count(at) && at < arena_end) {
      mprotect(at, size, PROT_READ | PROT_WRITE);
      fill(at, size);
      arena().opened.insert(at);
    }
  }
}

void close_red_zones() {
  EngineLock lock;
  const size_t size = page();
  for (char* at : arena().opened) {
    const Allocation* allocation = find(at);
    if (allocation && at >= allocation->base &&
        at < allocation->base + std::max<size_t>(allocation->bytes, 1)) {
      char* const end = allocation->base + allocation->bytes;
      fill(end, at + size - end);
    } else {
      reserve_again(at, size);
    }
  }
  arena().opened.clear();
}

}  // namespace sim
