#include "shared.h"

#include <algorithm>
#include <string>

#include "access.h"
#include "arena.h"
#include "running.h"

namespace sim {
namespace {

void* make(size_t bytes, const char* name, uint32_t element_bytes) {
  void* base = allocate_region(kOnChip, bytes, Origin::kShared, nullptr);
  if (!base) throw std::bad_alloc();
  name_allocation(base, name, element_bytes);
  return base;
}

void clear(void* base, uint32_t now) {
  Allocation* const allocation = base ? find_mutable(base) : nullptr;
  if (!allocation) return;
  poison(base, allocation->bytes);
  allocation->shadow.floor = now;
}

}  // namespace

SharedMemory::~SharedMemory() {
  for (const Entry& entry : entries_) release(entry.base, "the end of the kernel");
  release(dynamic_, "the end of the kernel");
}

void SharedMemory::reset(uint32_t now) {
  for (const Entry& entry : entries_) clear(entry.base, now);
  clear(dynamic_, now);
}

void* SharedMemory::variable(const SharedSlot& slot, size_t bytes, uint32_t element_bytes) {
  for (const Entry& entry : entries_) {
    if (entry.slot == &slot) return entry.base;
  }
  static_bytes_ += bytes;
  if (!shared_memory_fits(launch_.function, static_bytes_, launch_.dynamic_shared_bytes)) {
    Report r = here("launch_error", nullptr);
    r.argument = slot.name;
    r.space = "shared";
    r.line = slot.line;
    const size_t dynamic = launch_.dynamic_shared_bytes;
    const std::string beside = dynamic ? " beside " + std::to_string(dynamic) + " of dynamic ones" : "";
    r.message = "the kernel's shared variables take " + std::to_string(static_bytes_) + " bytes" + beside +
                ", a block has " + std::to_string(kSharedBytes) + " unless it asks for more";
    const std::string why = r.message;
    report(std::move(r));
    abandon(kInvalidValue, why);  // CUDA refuses the launch
  }
  entries_.push_back({&slot, make(bytes, slot.name, element_bytes), bytes / element_bytes});
  return entries_.back().base;
}

bool SharedMemory::may_hold_array(size_t elements) const {
  return elements && std::any_of(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.elements % elements == 0; });
}

void* SharedMemory::dynamic(const char* name, uint32_t element_bytes) {
  if (!dynamic_) dynamic_ = make(launch_.dynamic_shared_bytes, name, element_bytes);
  return dynamic_;
}

}  // namespace sim
