// Streams, events and the lazy queue.  Nothing runs until an edge forces it.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sim {

// Bytes that a task reads or writes, for race reports between streams: `rows` runs of `bytes`, `pitch` apart.
// Kernels fill theirs while they run (`touched`).  An inexact span covers bytes that may not be touched; it
// never makes a report by itself.
struct Span {
  const void* begin;
  size_t bytes;
  bool write;
  size_t rows = 1;
  size_t pitch = 0;
  bool exact = true;
  uint64_t content = 0;  // a hash of what a copy to a symbol writes
};

struct Task {
  std::string what;  // "kernel add_relu_kernel", "aten::copy_", "cudaMemcpyAsync"
  int line = 0;      // in the learner's source; 0 when the task is PyTorch's
  std::function<void()> run;
  std::vector<Span> spans{};
  bool learner = false;   // launched or copied by the learner's unit, whatever the line
  std::string kernel{};   // for reports; empty when it is no kernel
  bool replayed = false;  // comes out of a graph
  // Makes `run` for a replay, where it is not the captured one: random numbers are drawn anew.
  std::function<std::function<void()>()> again{};
  const void* pc = nullptr;  // the call in the learner's unit, where there is no line
};

struct Event;

struct Stream {
  int64_t id;  // 0 is a device's legacy default stream
  int device;
  bool blocking;  // whether it synchronises with the legacy default stream
};

// One mutex guards engine and queues.  What finished tasks held is destroyed after the outermost unlock,
// because destroying it may need Python's interpreter lock, whose holder may be waiting for this mutex.
class EngineLock {
 public:
  EngineLock();
  ~EngineLock();
  EngineLock(const EngineLock&) = delete;
  EngineLock& operator=(const EngineLock&) = delete;
};

// Who asked.  Only the learner's own synchronisation makes the learner's own side work ordered.
enum class Caller { kTorch, kLearner };

int device_count();
int current_device();
void set_current_device(int device);
Stream* default_stream(int device);
Stream* current_stream(int device);
Stream* set_current_stream(Stream* stream);  // returns the previous one of that device
Stream* new_stream(int device, bool blocking);
Stream* pool_stream(int device);
Stream* stream_by_id(int device, int64_t id);  // null when there is none
void destroy_stream(Stream* stream);
// What a cudaStream_t argument names: null and cudaStreamLegacy are the default stream of the current device,
// cudaStreamPerThread a blocking stream of the host thread.
// Null for anything that is no live stream.
Stream* resolve(void* cuda_stream);

void submit(Stream* stream, Task task);
// Adds to the spans of the task that is running now, if one is.
void touched(const Span& span);

Event* new_event();
void destroy_event(Event* event);
void record(Event* event, Stream* stream);
void wait(Stream* stream, Event* event);
bool recorded(const Event* event);
// A stream that is polled makes progress: the first question about unfinished work is answered no, the second
// runs it.
bool query(Stream* stream);
bool query(Event* event);
void synchronize(Stream* stream, Caller by = Caller::kTorch);
void synchronize(Event* event, Caller by = Caller::kTorch);
// Runs what the stream holds without ordering the host behind it: where the simulator needs values and CUDA
// would not.
void force(Stream* stream);
void synchronize_device(int device, Caller by = Caller::kTorch);
// Reports side work that was forked and never joined.  Called before reports are read.
void settle_unjoined();

// PyTorch's stream-ordered free: releases once the work that `stream` and `users` hold by now has run.
void free_later(void* pointer, Stream* stream, const std::vector<Stream*>& users);
// The allocation is so long gone that no access to it can be told any more.
void forget_accesses(uint64_t allocation);
size_t pending_tasks();
// Runs submitted work at once, in the host's order, as an idle GPU does.  Clocks and reports stay the same.
void set_eager(bool eager);

}  // namespace sim
