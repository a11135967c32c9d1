// What the simulator observed.  Rendered as JSON by the C functions that Python calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch.h"

namespace sim {

// The other access of a race: the earlier one, unless `later`.
struct OtherAccess {
  std::string access;  // "read", "write", "atomic" or "free"
  std::string kernel;
  std::string op;  // PyTorch's operator
  int launch_line = 0, line = 0;
  std::optional<Dim3> block, thread;
  std::optional<int64_t> stream;
  const void* pc = nullptr;
  std::vector<const void*> stack;
  bool later = false;
};

struct Report {
  std::string kind;    // see docs/architecture.md, seam 3
  std::string access;  // "read", "write", "atomic" or empty
  std::string message;
  std::string kernel;
  std::string argument;
  std::string space;  // "shared" or "constant"; empty for global memory
  std::optional<int64_t> index, numel, offset_bytes, allocation_bytes;
  int bytes = 0;
  int element_bytes = 0;
  int launch_line = 0;
  int line = 0;  // when the compiler told it; otherwise Python finds it from pc
  std::optional<Dim3> block, thread;
  std::optional<int64_t> stream, current_stream;
  int device = 0;
  const void* pc = nullptr;        // inside the accessing instruction, not after it
  std::vector<const void*> stack;  // pc and its callers in the learner's module; filled by report()
  std::optional<OtherAccess> other;
  int barrier_line = 0;  // of the block's last __syncthreads() before a race
  std::string missing;   // what would order a race: "__syncthreads()", "__syncwarp()", "fence", "atomic"
};

// Reports of the same kind, pc, line and kernel are counted, not repeated.
void report(Report report, int64_t count = 1);
std::string module_and_offset(const void* pc);
// The running thread's calls in the learner's module, innermost first.
std::vector<const void*> learner_stack();
std::string take_reports();     // JSON array; clears
std::string take_launch_log();  // JSON array; clears
size_t pending_reports();

// Where all reports go, as one line of JSON, when the host process is about to die of a fault; -1 for
// nowhere.
void set_crash_fd(int fd);
// Ends the process with SIGSEGV, as a bad host access does, after writing the reports.
[[noreturn]] void crash();

}  // namespace sim
