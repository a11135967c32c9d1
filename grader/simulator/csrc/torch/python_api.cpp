// The C functions that grader/simulator/runtime.py calls through ctypes (docs/architecture.md, seam 3).
#include <cstring>
#include <string>

#include "../engine/error.h"
#include "../engine/graph.h"
#include "../engine/json.h"
#include "../engine/launch.h"
#include "../engine/memory.h"
#include "../engine/report.h"
#include "../engine/stream.h"
#include "../engine/traffic.h"
#include "../runtime/leaks.h"
#include "errors.h"

namespace sim {

std::string take_dispatch_log();

namespace {

Order order_now = Order::kAscending;
uint64_t seed_now = 0;

// Hands `text` out.  A buffer that is too small gets nothing, and the text is kept for the next call.
class Outbox {
 public:
  template <typename Take>
  size_t give(char* buffer, size_t size, const Take& take) {
    EngineLock lock;
    if (text_.empty()) text_ = take();
    const size_t needed = text_.size() + 1;
    if (!buffer || size < needed) return needed;
    std::memcpy(buffer, text_.c_str(), needed);
    text_.clear();
    return needed;
  }

 private:
  std::string text_;
};

std::string memory_state() {
  std::string devices;
  for (int device = 0; device < device_count(); ++device) {
    json::Object object;
    object.add("device", int64_t{device});
    object.add("bytes_in_use", static_cast<int64_t>(bytes_in_use(device)));
    object.add("allocations", static_cast<int64_t>(live_allocations(device).size()));
    devices += (devices.empty() ? "" : ",") + object.str();
  }
  json::Object object;
  object.add_raw("devices", "[" + devices + "]");
  object.add("pending_tasks", static_cast<int64_t>(pending_tasks()));
  return object.str();
}

void apply_order() { set_order(order_now, seed_now); }

}  // namespace

}  // namespace sim

extern "C" {

size_t sim_reports(char* buffer, size_t size) {
  static sim::Outbox outbox;
  return outbox.give(buffer, size, [] {
    sim::settle_unjoined();
    sim::report_leaks();
    return sim::take_reports();
  });
}

size_t sim_launch_log(char* buffer, size_t size) {
  static sim::Outbox outbox;
  return outbox.give(buffer, size, sim::take_launch_log);
}

size_t sim_dispatch_log(char* buffer, size_t size) {
  static sim::Outbox outbox;
  return outbox.give(buffer, size, sim::take_dispatch_log);
}

size_t sim_memory(char* buffer, size_t size) {
  static sim::Outbox outbox;
  return outbox.give(buffer, size, sim::memory_state);
}

size_t sim_last_error(char* buffer, size_t size) {
  static sim::Outbox outbox;
  return outbox.give(buffer, size, [] {
    sim::json::Object object;
    object.add("error", static_cast<int64_t>(sim::peek_error()));
    object.add("name", sim::error_name(sim::peek_error()));
    object.add("cause", sim::peek_error() ? sim::error_cause() : std::string());
    sim::take_error();
    return object.str();
  });
}

int sim_set_kernels_enabled(int enabled) {
  sim::set_kernels_enabled(enabled != 0);
  return 0;
}

int sim_set_seed(uint64_t seed) {
  sim::seed_now = seed;
  sim::apply_order();
  return 0;
}

int sim_set_order(const char* order) {
  const std::string name = order;
  if (name == "ascending")
    sim::order_now = sim::Order::kAscending;
  else if (name == "descending")
    sim::order_now = sim::Order::kDescending;
  else if (name == "random")
    sim::order_now = sim::Order::kRandom;
  else
    return sim::kInvalidValue;
  sim::apply_order();
  return 0;
}

int sim_set_traffic(int counted) {
  sim::EngineLock lock;
  sim::set_traffic(counted != 0);
  return 0;
}

size_t sim_traffic(char* buffer, size_t size) {
  static sim::Outbox outbox;
  return outbox.give(buffer, size, sim::take_traffic);
}

int sim_set_eager(int eager) {
  sim::set_eager(eager != 0);
  return 0;
}

int sim_set_grid_seconds(double seconds) {
  sim::set_grid_seconds(seconds);
  return 0;
}

int sim_set_crash_fd(int fd) {
  sim::set_crash_fd(fd);
  return 0;
}

int sim_begin_capture(int device, int64_t stream) {
  sim::Stream* found = sim::stream_by_id(device, stream);
  if (!found) return sim::kInvalidResourceHandle;
  sim::begin_capture(found);
  return sim::peek_error();
}

int sim_end_capture(int device, int64_t stream, void** graph) {
  sim::Stream* found = sim::stream_by_id(device, stream);
  if (!found) return sim::kInvalidResourceHandle;
  *graph = sim::end_capture(found);
  return *graph ? 0 : sim::peek_error();
}

int sim_is_capturing(int device, int64_t stream) {
  const sim::Stream* found = sim::stream_by_id(device, stream);
  return found && sim::is_capturing(found);
}

int sim_replay(void* graph, int device, int64_t stream) {
  sim::Stream* found = sim::stream_by_id(device, stream);
  if (!found) return sim::kInvalidResourceHandle;
  sim::replay(*static_cast<sim::Graph*>(graph), found);
  return sim::peek_error();
}

int64_t sim_graph_nodes(void* graph) {
  return static_cast<int64_t>(sim::node_count(*static_cast<sim::Graph*>(graph)));
}

void sim_destroy_graph(void* graph) { sim::destroy_graph(static_cast<sim::Graph*>(graph)); }

}  // extern "C"
