#include "pinned.h"

#include <cstdlib>
#include <iterator>
#include <map>

#include "../engine/stream.h"

namespace sim {

namespace {

std::map<const char*, size_t>& ranges() {
  static auto* all = new std::map<const char*, size_t>;
  return *all;
}

}  // namespace

void* allocate_pinned(size_t bytes) {
  void* pointer = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  EngineLock lock;
  if (pointer) ranges()[static_cast<const char*>(pointer)] = bytes;
  return pointer;
}

void free_pinned(void* pointer) {
  EngineLock lock;
  if (ranges().erase(static_cast<const char*>(pointer))) std::free(pointer);
}

void register_pinned(void* pointer, size_t bytes) {
  EngineLock lock;
  ranges()[static_cast<const char*>(pointer)] = bytes;
}

bool unregister_pinned(void* pointer) {
  EngineLock lock;
  return ranges().erase(static_cast<const char*>(pointer)) != 0;
}

bool is_pinned(const void* pointer) {
  EngineLock lock;
  const auto after = ranges().upper_bound(static_cast<const char*>(pointer));
  if (after == ranges().begin()) return false;
  const auto range = std::prev(after);
  return static_cast<const char*>(pointer) < range->first + range->second;
}

}  // namespace sim
