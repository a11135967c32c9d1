// Edges to the host: what is forced when it asks or waits, and what is ordered behind it afterwards.
#include "graph.h"
#include "stream_state.h"

namespace sim {

namespace {

void host_saw(const Clock& clock) {
  auto& engine = stream_engine();
  if (covers(engine.host, clock)) return;
  for (size_t n = 0; n < clock.size(); ++n) raise(engine.host, n, clock[n]);
  ++engine.host_version;
}

// Newer streams first: where the order is free, the simulator takes the one that hurts.
void run_clock(const Clock& clock) {
  for (size_t n = clock.size(); n-- > 0;)
    if (clock[n]) run_until(*stream_engine().queues[n], clock[n]);
}

bool has_run(const Clock& clock) {
  for (size_t n = 0; n < clock.size(); ++n)
    if (stream_engine().queues[n]->done < clock[n]) return false;
  return true;
}

// Ordered streams pull each other in; among unordered ones the newest submission runs first.
void run_device(int device) {
  auto& engine = stream_engine();
  while (true) {
    Queue* newest = nullptr;
    for (Queue* queue : engine.queues)
      if (queue->device == device && !queue->pending.empty() && (!newest || queue->turn > newest->turn))
        newest = queue;
    if (!newest) return;
    run_until(*newest, newest->submitted);
  }
}

void after_synchronising(const Clock& clock, Caller by) {
  if (by == Caller::kTorch) settle(false);
  host_saw(clock);
  if (by == Caller::kLearner) settle(true);
  run_due_frees();
}

}  // namespace

bool query(Stream* stream) {
  EngineLock lock;
  auto& queue = queue_of(stream);
  if (refuse_while_capturing("cudaStreamQuery")) return false;
  apply_legacy_rules(queue);
  const Clock clock = queue.clock();
  if (has_run(clock)) return true;
  if (queue.polls++ == 0) return false;
  run_clock(clock);
  return true;
}

bool query(Event* event) {
  EngineLock lock;
  if (!event->queue) return true;
  if (refuse_captured(*event) || refuse_while_capturing("querying an event")) return false;
  if (has_run(*event->seen)) return true;
  if (event->polls++ == 0) return false;
  run_clock(*event->seen);
  return true;
}

void synchronize(Stream* stream, Caller by) {
  EngineLock lock;
  if (refuse_while_capturing("synchronising a stream")) return;
  auto& queue = queue_of(stream);
  apply_legacy_rules(queue);
  const Clock clock = queue.clock();
  run_clock(clock);
  after_synchronising(clock, by);
}

void force(Stream* stream) {
  EngineLock lock;
  if (refuse_while_capturing("running work")) return;
  apply_legacy_rules(queue_of(stream));
  run_clock(queue_of(stream).clock());
  run_due_frees();
}

void synchronize(Event* event, Caller by) {
  EngineLock lock;
  if (!event->queue || refuse_captured(*event) || refuse_while_capturing("synchronising an event")) return;
  run_clock(*event->seen);
  after_synchronising(*event->seen, by);
}

void synchronize_device(int device, Caller by) {
  EngineLock lock;
  if (refuse_while_capturing("synchronising a device")) return;
  run_device(device);
  Clock all;
  for (const Queue* queue : stream_engine().queues)
    if (queue->device == device) raise(all, queue->number, queue->submitted);
  after_synchronising(all, by);
}

void settle_unjoined() {
  EngineLock lock;
  settle(false);
}

}  // namespace sim
