#include "launch.h"

#include <map>
#include <sstream>
#include <stdexcept>

#include "error.h"
#include "json.h"
#include "report.h"

namespace sim {
namespace {

bool enabled = true;
std::vector<std::string> launch_log;
std::map<const void*, int> shared_limits;

std::string triple(const Dim3& d) {
  return "[" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "]";
}

void log(const Launch& l) {
  json::Object entry;
  entry.add("kernel", std::string(l.kernel)).add("line", l.line).add("device", l.device);
  entry.add("stream", l.stream ? l.stream->id : 0).add("current_stream", l.current ? l.current->id : 0);
  entry.add_raw("grid", triple(l.grid)).add_raw("block", triple(l.block));
  entry.add("dynamic_shared_bytes", static_cast<int64_t>(l.dynamic_shared_bytes));
  launch_log.push_back(entry.str());
}

std::string text(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

struct Refusal {
  Error error = kSuccess;
  std::string why;
};

// An H200 with CUDA 13 calls a bad grid or block "invalid argument", not "invalid configuration".
Refusal refusal(const Launch& l) {
  if (sticky() != kSuccess) return {sticky(), ""};
  if (!l.stream) return {kInvalidResourceHandle, "the stream argument is no stream"};
  if (l.stream->device != l.device) {
    return {kInvalidResourceHandle, "the stream belongs to device " + std::to_string(l.stream->device) +
                                        ", the current device is " + std::to_string(l.device)};
  }
  const Dim3 &g = l.grid, &b = l.block;
  if (!g.count()) return {kInvalidValue, "the grid " + text(g) + " has no block"};
  if (!b.count()) return {kInvalidValue, "the block " + text(b) + " has no thread"};
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || b.count() > kThreadsPerBlock) {
    return {kInvalidValue, "the block " + text(b) + " has " + std::to_string(b.count()) +
                               " threads, at most 1024 (z: 64) are allowed"};
  }
  if (l.most_threads > 0 && b.count() > static_cast<uint64_t>(l.most_threads)) {
    return {kInvalidValue, "the block " + text(b) + " has " + std::to_string(b.count()) +
                               " threads, the kernel's __launch_bounds__ allow " +
                               std::to_string(l.most_threads)};
  }
  if (g.x > 0x7fffffff || g.y > 65535 || g.z > 65535) {
    return {kInvalidValue, "the grid " + text(g) + " is larger than (2147483647, 65535, 65535)"};
  }
  const size_t limit = dynamic_shared_limit(l.function);
  if (l.dynamic_shared_bytes > limit) {
    return {kInvalidValue, std::to_string(l.dynamic_shared_bytes) +
                               " bytes of dynamic shared memory, the kernel may have " +
                               std::to_string(limit)};
  }
  return {};
}

void refuse(const Launch& l, const Refusal& why) {
  if (why.why.empty()) return;  // the sticky error of an earlier fault says more
  set_error(why.error, std::string(l.kernel) + ": " + why.why);
  Report r;
  r.kind = "launch_error";
  r.kernel = l.kernel;
  r.launch_line = r.line = l.line;
  r.device = l.device;
  if (l.stream) r.stream = l.stream->id;
  r.message = why.why;
  report(std::move(r));
}

}  // namespace

void launch(Launch l) {
  EngineLock lock;
  log(l);
  const Refusal why = refusal(l);
  if (why.error != kSuccess) return refuse(l, why);
  if (!enabled) return;
  Task task;
  task.what = std::string("kernel ") + l.kernel;
  task.kernel = l.kernel;
  task.line = l.line;
  task.learner = true;
  Stream* const stream = l.stream;
  task.run = [l = std::move(l)] { run_grid(l); };
  submit(stream, std::move(task));
}

std::string take_launch_log() {
  EngineLock lock;
  std::string out = "[";
  for (size_t i = 0; i < launch_log.size(); ++i) out += (i ? ",\n " : "") + launch_log[i];
  launch_log.clear();
  return out + "]";
}

void set_kernels_enabled(bool wanted) { enabled = wanted; }
bool kernels_enabled() { return enabled; }

bool set_dynamic_shared_limit(const void* function, int bytes) {
  EngineLock lock;
  if (bytes < 0 || bytes > kSharedBytesOptIn) return false;
  shared_limits[function] = bytes;
  return true;
}

int dynamic_shared_limit(const void* function) {
  EngineLock lock;
  const auto it = shared_limits.find(function);
  return it != shared_limits.end() && it->second > kSharedBytes ? it->second : kSharedBytes;
}

bool shared_memory_fits(const void* function, size_t static_bytes, size_t dynamic_bytes) {
  EngineLock lock;
  const size_t total = static_bytes + dynamic_bytes;
  if (total <= kSharedBytes) return true;
  const auto it = shared_limits.find(function);
  const bool asked = it != shared_limits.end() && dynamic_bytes <= static_cast<size_t>(it->second);
  return asked && static_bytes <= kSharedBytes && total <= kSharedBytesOptIn;
}

}  // namespace sim
