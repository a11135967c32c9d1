// The one place where an access by learner code is judged.
#pragma once
#include <cstddef>
#include <cstdint>

#include "arena.h"
#include "running.h"

namespace sim {

enum class Access : uint8_t { kRead, kWrite, kAtomic };
// What a read or write is beyond a plain one.  An exchange is an atomic write.
enum class Strength : uint8_t { kPlain, kVolatile, kAtomic };

constexpr size_t kUnaligned = 1;  // an access of a packed type or of a range: any address will do

// What the fast path below does not settle: host addresses on the device, faults, first touches.
void judge_slowly(const void* p, size_t bytes, Access access, Strength strength, size_t alignment,
                  const void* return_address);

// The kernel's parameter that leads to an allocation, or the name of a symbol.
std::string name_in_kernel(const Allocation& a);
// A report on an access to `a`, or to none, by the running thread.
Report access_report(const char* kind, const void* p, size_t bytes, Access access, const void* pc,
                     const Allocation* a);

// Ranges of any length, byte by byte.
void judge_range(const void* p, size_t bytes, Access access, const void* return_address);

// Lets other threads run now and then: a loop over atomic or volatile accesses may wait for them.
void maybe_give_way(const void* return_address);

}  // namespace sim
