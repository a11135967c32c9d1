#include "stream.h"

#include <algorithm>
#include <exception>

#include "error.h"
#include "stream_state.h"

namespace sim {

namespace {

constexpr size_t kPoolStreams = 32;         // as many as PyTorch's pool has
constexpr size_t kLaunchQueueDepth = 1024;  // a CUDA host blocks when about so many launches wait
constexpr uintptr_t kLegacyHandle = 1;      // cudaStreamLegacy
constexpr uintptr_t kPerThreadHandle = 2;   // cudaStreamPerThread

thread_local int device_now = 0;
thread_local std::array<Queue*, kDevices> stream_now{};
thread_local std::array<Queue*, kDevices> stream_of_thread{};

Queue* make_queue(int device, bool blocking, int64_t id) {
  auto* queue = new Queue;
  queue->id = id;
  queue->device = device;
  queue->blocking = blocking;
  auto& engine = stream_engine();
  queue->number = engine.queues.size();
  engine.queues.push_back(queue);
  return queue;
}

int64_t next_id(int device) {
  int64_t id = 0;
  for (const Queue* queue : stream_engine().queues) id += queue->device == device;
  return id;
}

void absorb_host(Queue& queue) {
  auto& engine = stream_engine();
  if (queue.host_version == engine.host_version) return;
  see(queue, engine.host);
  queue.host_version = engine.host_version;
}

void run_task(Queue& queue, Node& node) {
  auto& engine = stream_engine();
  std::vector<Span> spans = node.task.spans;
  auto* outer = engine.running;
  engine.running = &spans;
  try {
    if (node.task.run) node.task.run();
  } catch (const std::exception& failure) {
    set_error(kAssert, node.task.what + ": " + failure.what(), true);
  }
  engine.running = outer;
  check_races(queue, node.position, *node.seen, node.task, spans);
}

// After a sticky error the context is lost: what is still queued never runs.
bool context_is_dead() { return sticky() != kSuccess; }

std::string freeing(const Queue& queue) { return "stream " + std::to_string(queue.id); }

void run_front(Queue& queue) {
  auto& engine = stream_engine();
  Node node = std::move(queue.pending.front());
  queue.pending.pop_front();
  --engine.pending;
  if (queue.satisfied != node.seen) {
    for (size_t n = 0; n < node.seen->size(); ++n)
      if (n != queue.number && (*node.seen)[n]) run_until(*engine.queues[n], (*node.seen)[n]);
    queue.satisfied = node.seen;
  }
  if (!context_is_dead()) run_task(queue, node);
  queue.done = node.position;
  if (node.freed) release(node.freed, freeing(queue));
  if (!engine.frees.empty()) run_due_frees();
  engine.finished.push_back(std::move(node.task));
}

}  // namespace

void occupy_position(Queue& queue, void* freed) {
  ++queue.submitted;
  if (queue.pending.empty()) {
    queue.done = queue.submitted;
    if (freed) release(freed, freeing(queue));
    return;
  }
  ++stream_engine().pending;
  queue.pending.push_back({Task{}, queue.submitted, queue.seen, freed});
}

void raise(Clock& clock, size_t number, uint64_t position) {
  if (number >= clock.size()) clock.resize(number + 1, 0);
  clock[number] = std::max(clock[number], position);
}

bool covers(const Clock& clock, const Clock& other) {
  for (size_t n = 0; n < other.size(); ++n)
    if (other[n] > at(clock, n)) return false;
  return true;
}

SharedClock merged(const SharedClock& clock, const Clock& other) {
  if (covers(*clock, other)) return clock;
  auto later = std::make_shared<Clock>(*clock);
  for (size_t n = 0; n < other.size(); ++n) raise(*later, n, other[n]);
  return later;
}

Clock Queue::clock() const {
  Clock own = *seen;
  raise(own, number, submitted);
  return own;
}

StreamEngine& stream_engine() {
  static auto* engine = new StreamEngine;  // never destroyed: tensors may outlive static destructors
  return *engine;
}

EngineLock::EngineLock() {
  stream_engine().mutex.lock();
  ++stream_engine().depth;
}

EngineLock::~EngineLock() {
  auto& engine = stream_engine();
  std::vector<Task> finished;
  if (--engine.depth == 0) finished.swap(engine.finished);
  engine.mutex.unlock();
}

int device_count() { return kDevices; }
int current_device() { return device_now; }
void set_current_device(int device) { device_now = device; }

Stream* default_stream(int device) {
  auto& engine = stream_engine();
  if (!engine.legacy[device]) {
    EngineLock lock;
    if (!engine.legacy[device]) engine.legacy[device] = make_queue(device, true, 0);
  }
  return engine.legacy[device];
}

Stream* current_stream(int device) {
  Queue* queue = stream_now[device];
  return queue ? queue : default_stream(device);
}

Stream* set_current_stream(Stream* stream) {
  Stream* previous = current_stream(stream->device);
  stream_now[stream->device] = static_cast<Queue*>(stream);
  return previous;
}

Stream* new_stream(int device, bool blocking) {
  EngineLock lock;
  default_stream(device);
  Queue* queue = make_queue(device, blocking, next_id(device));
  if (blocking) stream_engine().blocking[device].push_back(queue);
  return queue;
}

Queue* branch_queue(int device, int64_t id) { return make_queue(device, false, id); }

Stream* pool_stream(int device) {
  EngineLock lock;
  auto& engine = stream_engine();
  auto& pool = engine.pool[device];
  const size_t turn = engine.next_in_pool[device]++ % kPoolStreams;
  if (turn >= pool.size()) pool.push_back(static_cast<Queue*>(new_stream(device, false)));
  return pool[turn];
}

Stream* stream_by_id(int device, int64_t id) {
  EngineLock lock;
  default_stream(device);
  for (Queue* queue : stream_engine().queues)
    if (queue->device == device && queue->id == id) return queue;
  return nullptr;
}

void destroy_stream(Stream* stream) {
  EngineLock lock;
  auto& queue = queue_of(stream);
  queue.alive = false;
  auto& blocking = stream_engine().blocking[queue.device];
  run_until(queue, queue.submitted);
  see(queue_of(default_stream(queue.device)), queue.blocking ? queue.clock() : Clock{});
  blocking.erase(std::remove(blocking.begin(), blocking.end(), &queue), blocking.end());
}

Stream* resolve(void* cuda_stream) {
  const auto handle = reinterpret_cast<uintptr_t>(cuda_stream);
  if (handle == 0 || handle == kLegacyHandle) return default_stream(device_now);
  EngineLock lock;
  if (handle == kPerThreadHandle) {
    Queue*& own = stream_of_thread[device_now];
    if (!own) own = static_cast<Queue*>(new_stream(device_now, true));
    return own;
  }
  for (Queue* queue : stream_engine().queues)
    if (static_cast<Stream*>(queue) == cuda_stream) return queue->alive ? queue : nullptr;
  return nullptr;
}

void see(Queue& queue, const Clock& clock) { queue.seen = merged(queue.seen, clock); }

void apply_legacy_rules(Queue& queue) {
  auto& engine = stream_engine();
  if (!queue.blocking || engine.blocking[queue.device].empty()) return;
  if (queue.id != 0) return see(queue, queue_of(default_stream(queue.device)).clock());
  for (const Queue* partner : engine.blocking[queue.device]) see(queue, partner->clock());
}

void submit(Stream* stream, Task task) {
  EngineLock lock;
  auto& engine = stream_engine();
  auto& queue = queue_of(stream);
  task.learner = task.learner || task.line != 0;
  if (refuse_implicit_wait(queue, task.what.c_str()) || capture_task(queue, task)) return;
  apply_legacy_rules(queue);
  absorb_host(queue);
  if (!task.learner) queue.torch_work = queue.submitted + 1;
  if (task.learner && !task.replayed) check_current_stream(queue, task);
  queue.turn = ++engine.turns;
  queue.polls = 0;
  ++engine.pending;
  queue.pending.push_back({std::move(task), ++queue.submitted, queue.seen});
  if (engine.eager) run_until(queue, queue.submitted);
  if (queue.pending.size() > kLaunchQueueDepth) run_until(queue, queue.submitted - kLaunchQueueDepth / 2);
}

void touched(const Span& span) {
  if (auto* spans = stream_engine().running) spans->push_back(span);
}

void run_until(Queue& queue, uint64_t position) {
  while (!queue.pending.empty() && queue.pending.front().position <= position) run_front(queue);
}

Event* new_event() { return new Event; }

void destroy_event(Event* event) {
  EngineLock lock;
  delete event;
}

void record(Event* event, Stream* stream) {
  EngineLock lock;
  auto& queue = queue_of(stream);
  if (refuse_implicit_wait(queue, "recording an event")) return;
  apply_legacy_rules(queue);
  absorb_host(queue);
  event->queue = &queue;
  event->position = queue.submitted;
  event->seen = std::make_shared<Clock>(queue.clock());
  event->polls = 0;
  capture_record(*event, queue);
}

void wait(Stream* stream, Event* event) {
  EngineLock lock;
  if (!event->queue) return;  // CUDA: waiting for an event that was never recorded does nothing
  auto& queue = queue_of(stream);
  if (capture_wait(queue, *event)) see(queue, *event->seen);
}

bool recorded(const Event* event) { return event->queue != nullptr; }

void free_later(void* pointer, Stream* stream, const std::vector<Stream*>& users) {
  EngineLock lock;
  auto& queue = queue_of(stream);
  if (capture_free(queue, pointer)) return;
  PendingFree free{pointer, freeing(queue), {{&queue, queue.submitted + 1}}};
  Clock clock = queue.clock();
  raise(clock, queue.number, queue.submitted + 1);
  for (size_t n = 0; n < stream_engine().host.size(); ++n) raise(clock, n, stream_engine().host[n]);
  for (Stream* user : users) {
    auto& other = queue_of(user);
    free.until.emplace_back(&other, other.submitted);
    const Clock seen = other.clock();
    for (size_t n = 0; n < seen.size(); ++n) raise(clock, n, seen[n]);
  }
  check_free(queue, clock, pointer);
  occupy_position(queue, users.empty() ? pointer : nullptr);
  if (!users.empty()) stream_engine().frees.push_back(std::move(free));
  run_due_frees();
}

void run_due_frees() {
  auto& frees = stream_engine().frees;
  const auto is_due = [](const PendingFree& free) {
    return std::all_of(free.until.begin(), free.until.end(),
                       [](const auto& until) { return until.first->done >= until.second; });
  };
  size_t kept = 0;
  for (auto& free : frees) {
    if (is_due(free))
      release(free.pointer, free.by);
    else
      std::swap(frees[kept++], free);
  }
  frees.resize(kept);
}

void set_eager(bool eager) {
  EngineLock lock;
  stream_engine().eager = eager;
}

size_t pending_tasks() { return stream_engine().pending; }

}  // namespace sim
