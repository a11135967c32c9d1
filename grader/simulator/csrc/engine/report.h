// What the simulator observed.  Rendered as JSON by the C functions that Python calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "launch.h"

namespace sim {

struct Report {
  std::string kind;    // see docs/architecture.md, seam 3
  std::string access;  // "read", "write", "atomic" or empty
  std::string message;
  std::string kernel;
  std::string argument;
  std::optional<int64_t> index, numel, offset_bytes, allocation_bytes;
  int bytes = 0;
  int element_bytes = 0;
  int launch_line = 0;
  std::optional<Dim3> block, thread;
  std::optional<int64_t> stream, current_stream;
  int device = 0;
  const void* pc = nullptr;
};

// Reports of the same kind, pc and kernel are counted, not repeated.
void report(Report report);
std::string take_reports();     // JSON array; clears
std::string take_launch_log();  // JSON array; clears

}  // namespace sim
