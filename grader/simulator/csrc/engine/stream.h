// Streams, events and the lazy queue.  Nothing runs until an edge forces it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sim {

// Bytes that a task will read or write, for race reports between streams.  Kernels fill theirs while they run.
struct Span {
  const void* begin;
  size_t bytes;
  bool write;
};

struct Task {
  std::string what;  // "kernel add_relu_kernel", "aten::copy_", "cudaMemcpyAsync"
  int line = 0;      // in the learner's source; 0 when the task is PyTorch's
  std::function<void()> run;
  std::vector<Span> spans;
};

struct Event;

struct Stream {
  int64_t id;     // 0 is a device's legacy default stream
  int device;
  bool blocking;  // whether it synchronises with the legacy default stream
};

int current_device();
void set_current_device(int device);
Stream* default_stream(int device);
Stream* current_stream(int device);
Stream* set_current_stream(Stream* stream);  // returns the previous one of that device
Stream* new_stream(int device, bool blocking);
Stream* pool_stream(int device);
Stream* stream_by_id(int device, int64_t id);
// What a cudaStream_t argument names: null and cudaStreamLegacy are the default stream of the current device.
Stream* resolve(void* cuda_stream);

void submit(Stream* stream, Task task);

Event* new_event();
void destroy_event(Event* event);
void record(Event* event, Stream* stream);
void wait(Stream* stream, Event* event);
bool query(Stream* stream);
bool query(Event* event);
void synchronize(Stream* stream);
void synchronize(Event* event);
void synchronize_device(int device);

}  // namespace sim
