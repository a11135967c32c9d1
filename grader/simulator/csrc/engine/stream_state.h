// Inside of the stream engine: queues, vector clocks and what races are judged by.  For stream*.cpp and
// graph.cpp.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "memory.h"
#include "stream.h"

namespace sim {

// clock[n] is the position on the queue of number n up to which everything happens before.
using Clock = std::vector<uint64_t>;
using SharedClock = std::shared_ptr<const Clock>;

inline uint64_t at(const Clock& clock, size_t number) { return number < clock.size() ? clock[number] : 0; }
void raise(Clock& clock, size_t number, uint64_t position);
bool covers(const Clock& clock, const Clock& other);
// The later of both, sharing `clock` when nothing in `other` is later.
SharedClock merged(const SharedClock& clock, const Clock& other);

struct Node {
  Task task;
  uint64_t position;
  SharedClock seen;       // of other queues; the own component is the position
  void* freed = nullptr;  // memory that PyTorch frees here, between the tasks around it
};

struct Capture;

struct Queue : Stream {
  size_t number = 0;
  uint64_t submitted = 0;   // position of the newest node
  uint64_t done = 0;        // position up to which everything has run
  uint64_t torch_work = 0;  // position of the newest node that is not the learner's
  uint64_t turn = 0;        // when the newest node was submitted, over all queues
  uint64_t host_version = 0;
  int polls = 0;
  bool alive = true;
  SharedClock seen = std::make_shared<Clock>();
  SharedClock satisfied;  // the last `seen` whose dependencies have all run
  std::deque<Node> pending;
  Capture* capture = nullptr;

  Clock clock() const;  // `seen` with the own component
};

struct Event {
  Queue* queue = nullptr;
  uint64_t position = 0;
  SharedClock seen;
  int polls = 0;
  uint64_t capture = 0;  // that it was recorded in; 0 for none
};

// Memory that PyTorch has freed, waiting for work of other streams too.
struct PendingFree {
  void* pointer;
  std::string by;
  std::vector<std::pair<Queue*, uint64_t>> until;
};

// What a report says of a task.
struct Work {
  std::string what, kernel;
  int line;
  const void* pc;
};

// A launch of the learner on a side stream that is ordered behind the current one, and has to be joined to
// it.
struct Unjoined {
  Queue* side;
  uint64_t position;
  Queue* current;
  Work work;
};

struct StreamEngine {
  std::recursive_mutex mutex;
  int depth = 0;
  std::vector<Task> finished;  // destroyed after the outermost unlock
  std::vector<Queue*> queues;
  std::array<Queue*, kDevices> legacy{};
  std::array<std::vector<Queue*>, kDevices> blocking;
  std::array<std::vector<Queue*>, kDevices> pool;
  std::array<size_t, kDevices> next_in_pool{};
  Clock host;
  uint64_t host_version = 0;
  uint64_t turns = 0;
  size_t pending = 0;
  bool eager = false;
  std::vector<PendingFree> frees;
  std::vector<Unjoined> unjoined;
  std::vector<Span>* running = nullptr;
};

StreamEngine& stream_engine();
inline Queue& queue_of(Stream* stream) { return *static_cast<Queue*>(stream); }

// A stream that no handle leads to, for a forked branch of a replayed graph.  `id` is what reports call it.
Queue* branch_queue(int device, int64_t id);
void run_until(Queue& queue, uint64_t position);
void see(Queue& queue, const Clock& clock);
// The legacy stream waits for every blocking stream of its device, and they for it.
void apply_legacy_rules(Queue& queue);
void run_due_frees();
// Gives something that is no task (a free, a capture) a place in the stream's order.
void occupy_position(Queue& queue, void* freed = nullptr);

// stream_race.cpp
void check_races(const Queue& queue, uint64_t position, const Clock& seen, const Task& task,
                 const std::vector<Span>& spans);
void check_free(const Queue& queue, const Clock& clock, void* pointer);
void check_current_stream(Queue& queue, const Task& task);
void settle(bool host_only);

// graph.cpp
bool capture_task(Queue& queue, Task& task);
bool capture_free(Queue& queue, void* pointer);
void capture_record(Event& event, Queue& queue);
// Whether the wait is an edge; where CUDA refuses it, the error is set.
bool capture_wait(Queue& queue, const Event& event);
// Work on the legacy stream, which waits for all blocking streams, one of which is capturing.
bool refuse_implicit_wait(const Queue& queue, const char* what);
bool refuse_captured(const Event& event);

}  // namespace sim
