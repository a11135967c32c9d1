#include "access.h"

#include <algorithm>

#include "arena.h"
#include "grid.h"
#include "race.h"
#include "traffic.h"

namespace sim {
namespace {

const char* name_of(Access access) {
  return access == Access::kRead ? "read" : access == Access::kWrite ? "write" : "atomic";
}

// The kernel's parameter that leads to `a`: of several, the one that begins last before the address.
const Argument* argument_of(const Allocation& a, const void* p) {
  const Argument* best = nullptr;
  for (const Argument& argument : running.grid->launch().arguments) {
    if (!argument.address || find(argument.address) != &a) continue;
    const bool better =
        !best || (argument.address <= p && (best->address > p || argument.address > best->address));
    if (better) best = &argument;
  }
  return best;
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Names the element.  Shared variables and symbols name themselves, the rest goes by the kernel's parameters.
void locate(Report& r, const Allocation& a, const char* p) {
  const char* base = a.base;
  uint32_t element = a.element_bytes;
  r.argument = a.name;
  if (a.origin == Origin::kShared) r.space = "shared";
  if (a.origin == Origin::kSymbol) r.space = "constant";
  const Argument* argument = a.name.empty() && running.grid ? argument_of(a, p) : nullptr;
  if (argument) {
    r.argument = argument->name;
    base = static_cast<const char*>(argument->address);
    element = argument->element_bytes;
  }
  r.offset_bytes = p - a.base;
  r.allocation_bytes = static_cast<int64_t>(a.bytes);
  if (!element) return;
  r.element_bytes = static_cast<int>(element);
  r.index = floor_divide(p - base, element);
  r.numel = (a.base + a.bytes - base) / static_cast<int64_t>(element);
}

[[noreturn]] void illegal(const void* p, size_t bytes, Access access, const void* pc,
                          const std::string& why) {
  Report r = access_report("illegal_address", p, bytes, access, pc, find(p));
  r.message = why;
  report(r);
  abandon(kIllegalAddress, r.message);
}

[[noreturn]] void from_host(const void* p, size_t bytes, Access access, const void* pc) {
  Report r = access_report("host_access", p, bytes, access, pc, find(p));
  r.message = "host code follows a pointer to device memory";
  report(std::move(r));
  crash();
}

void beyond_device_memory(const void* p, size_t bytes, Access access, const void* pc) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(p);
  if (access == Access::kRead && running.grid->is_readable_host(address)) return;
  illegal(p, bytes, access, pc,
          address < 65536 ? "a null pointer is followed"
                          : "the address is no device memory: it belongs to the host, or to nothing");
}

void outside(Allocation& a, const void* p, size_t bytes, Access access, const void* pc) {
  report(access_report("out_of_bounds", p, bytes, access, pc, &a));
  open_red_zone(a, static_cast<const char*>(p), bytes);
}

// Freed memory stays readable for a while, so that the first report is not the last.
void after_free(const Allocation& a, const void* p, size_t bytes, Access access, const void* pc) {
  Report r = access_report("use_after_free", p, bytes, access, pc, &a);
  r.message = "freed by " + a.freed_by;
  report(r);
  const char* const at = static_cast<const char*>(p);
  if (!a.resident || at < a.base || at + bytes > a.base + a.bytes) abandon(kIllegalAddress, r.message);
}

constexpr uint64_t mask_of(size_t bytes) { return bytes >= 64 ? ~0ull : (1ull << bytes) - 1; }

// Bits of bytes [offset, offset + n): visits the words that hold them.
template <class Visit>
void for_words(size_t offset, size_t n, Visit visit) {
  while (n) {
    const size_t in_word = std::min(n, 64 - offset % 64);
    visit(offset / 64, mask_of(in_word) << offset % 64);
    offset += in_word;
    n -= in_word;
  }
}

}  // namespace

Report access_report(const char* kind, const void* p, size_t bytes, Access access, const void* pc,
                     const Allocation* a) {
  Report r = here(kind, pc);
  r.access = name_of(access);
  r.bytes = static_cast<int>(bytes);
  if (a) locate(r, *a, static_cast<const char*>(p));
  return r;
}

std::string name_in_kernel(const Allocation& a) {
  const Argument* const argument = a.name.empty() ? argument_of(a, a.base + a.bytes) : nullptr;
  return argument ? argument->name : a.name;
}

Report here(const char* kind, const void* pc) {
  Report r;
  r.kind = kind;
  r.pc = pc;
  if (!running.grid) return r;
  const Launch& launch = running.grid->launch();
  r.kernel = launch.kernel;
  r.launch_line = launch.line;
  r.device = launch.device;
  if (launch.stream) r.stream = launch.stream->id;
  if (running.block && running.on_device) {
    r.block = running.block->index();
    r.thread = running.block->thread_index(running.thread);
  }
  return r;
}

void abandon(Error error, const std::string& cause) {
  running.grid->give_up(error, cause);
  void* never;
  sim_switch(&never, running.grid->scheduler);
  __builtin_unreachable();
}

void judge_slowly(const void* p, size_t bytes, Access access, Strength strength, size_t alignment,
                  const void* return_address) {
  const void* const pc = before(return_address);
  if (!running.on_device) from_host(p, bytes, access, pc);
  if (access != Access::kRead) let_others_see(pc);
  Allocation* const a = find_mutable(p);
  if (!owns(p)) return beyond_device_memory(p, bytes, access, pc);
  if (!a) illegal(p, bytes, access, pc, "the address belongs to no tensor");
  const int device = running.grid->launch().device;
  if (a->device != device && a->device != kOnChip) {
    illegal(p, bytes, access, pc,
            "the tensor is on device " + std::to_string(a->device) + ", the kernel runs on device " +
                std::to_string(device));
  }
  if (a->freed) return after_free(*a, p, bytes, access, pc);
  const size_t offset = static_cast<const char*>(p) - a->base;
  if (offset >= a->limit || a->limit - offset < bytes) return outside(*a, p, bytes, access, pc);
  if (reinterpret_cast<uintptr_t>(p) % alignment) {
    report(access_report("misaligned", p, bytes, access, pc, a));
    abandon(kMisalignedAddress, "misaligned address");
  }
  if (access != Access::kWrite) running.grid->touch(*a, false, offset | bytes);
  if (access != Access::kRead) running.grid->touch(*a, true, offset | bytes);
  bool initialised = true;
  for_words(offset, bytes, [&](size_t word, uint64_t mask) {
    initialised &= a->all_initialised || !(~a->initialised[word] & mask);
    if (access != Access::kWrite) a->read[word] |= mask;
    if (access != Access::kRead) a->written[word] |= mask, a->initialised[word] |= mask;
  });
  if (access != Access::kWrite && !initialised)
    note_uninitialised(access_report("uninitialised_read", p, bytes, access, pc, a));
  if (traffic_is_counted()) count_traffic(*a, p, bytes, access, pc);
  note_slowly(*a, offset, bytes, access, strength, return_address);
}

void maybe_give_way(const void* return_address) {
  if (running.on_device) running.block->give_way(before(return_address));
}

void judge_range(const void* p, size_t bytes, Access access, const void* return_address) {
  if (!bytes) return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(p);
  const bool on_stack =
      address - running.stack < running.stack_bytes && bytes <= running.stack + running.stack_bytes - address;
  if (!owns(p) && (!running.on_device || on_stack)) return;
  judge_slowly(p, bytes, access, Strength::kPlain, kUnaligned, return_address);
}

}  // namespace sim
