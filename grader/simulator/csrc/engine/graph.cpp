#include "graph.h"

#include <algorithm>
#include <map>

#include "error.h"
#include "stream_state.h"

namespace sim {

struct GraphNode {
  Task task;
  size_t branch;      // number of the queue that it was captured from
  uint64_t position;  // on that queue
  SharedClock seen;   // which of the other branches' nodes it waits for
};

struct Graph {
  size_t origin = 0;  // the branch that the capture began on
  std::vector<GraphNode> nodes;
  std::map<size_t, Queue*> branches;  // the forked ones, each with the stream that it is replayed on
  Clock last;                         // the end of the newest replay, which the next one waits for
  std::shared_ptr<GraphMemory> memory = std::make_shared<GraphMemory>();
};

struct Capture {
  uint64_t id;
  Queue* origin;
  Graph* graph;
  std::vector<Queue*> members;
  bool invalid = false;
  std::string cause;
};

namespace {

std::vector<Capture*>& captures() {
  static auto* list = new std::vector<Capture*>;
  return *list;
}

Capture* capture_by_id(uint64_t id) {
  for (Capture* capture : captures())
    if (capture->id == id) return capture;
  return nullptr;
}

void join_capture(Queue& queue, Capture& capture) {
  if (queue.capture == &capture) return;
  queue.capture = &capture;
  capture.members.push_back(&queue);
}

void invalidate(Capture& capture, const std::string& cause) {
  if (!capture.invalid) capture.cause = cause;
  capture.invalid = true;
}

void refuse(Capture& capture, Error error, const std::string& cause) {
  set_error(error, cause);
  invalidate(capture, cause);
}

// Whether every branch was joined: the origin's order covers all that its members captured.
bool is_joined(const Capture& capture) {
  const Clock origin = capture.origin->clock();
  return std::all_of(capture.members.begin(), capture.members.end(),
                     [&](const Queue* member) { return at(origin, member->number) >= member->submitted; });
}

void leave(Capture& capture) {
  for (Queue* member : capture.members) {
    member->capture = nullptr;
    occupy_position(*member);
  }
  captures().erase(std::remove(captures().begin(), captures().end(), &capture), captures().end());
}

std::vector<Queue*>& idle_branches() {
  static auto* list = new std::vector<Queue*>;
  return *list;
}

Queue* take_branch(const Queue& captured) {
  auto& idle = idle_branches();
  const auto fits = [&](const Queue* queue) { return queue->device == captured.device; };
  const auto found = std::find_if(idle.begin(), idle.end(), fits);
  if (found == idle.end()) return branch_queue(captured.device, captured.id);
  Queue* queue = *found;
  idle.erase(found);
  queue->id = captured.id;
  return queue;
}

// A branch of a graph on its way into the queues: where its captured nodes have gone.
struct Branch {
  Queue* queue;
  std::vector<std::pair<uint64_t, uint64_t>> placed;  // captured position, replayed position

  uint64_t replayed(uint64_t captured) const {
    const auto next = std::upper_bound(placed.begin(), placed.end(), std::pair(captured, UINT64_MAX));
    return next == placed.begin() ? 0 : std::prev(next)->second;
  }
};

using Branches = std::map<size_t, Branch>;

Branches branches_of(const Graph& graph, Queue& origin) {
  Branches branches;
  branches[graph.origin] = {&origin, {}};
  for (const auto& [number, queue] : graph.branches) {
    see(*queue, origin.clock());
    branches[number] = {queue, {}};
  }
  return branches;
}

void submit_node(const GraphNode& node, Branches& branches) {
  Branch& own = branches.at(node.branch);
  Clock seen;
  for (const auto& [number, other] : branches)
    if (number != node.branch) raise(seen, other.queue->number, other.replayed(at(*node.seen, number)));
  see(*own.queue, seen);
  Task task = node.task;
  task.replayed = true;
  if (task.again) task.run = task.again();
  submit(own.queue, std::move(task));
  own.placed.emplace_back(node.position, own.queue->submitted);
}

void take_branches(Graph& graph) {
  for (const GraphNode& node : graph.nodes)
    if (node.branch != graph.origin && !graph.branches.count(node.branch))
      graph.branches[node.branch] = take_branch(*stream_engine().queues[node.branch]);
}

}  // namespace

void begin_capture(Stream* stream) {
  EngineLock lock;
  auto& queue = queue_of(stream);
  if (queue.capture || queue.id == 0)
    return set_error(kStreamCaptureUnsupported, queue.id == 0 ? "capturing the legacy default stream"
                                                              : "capturing a stream that is capturing");
  static uint64_t made = 0;
  auto* capture = new Capture{++made, &queue, new Graph, {}, false, ""};
  capture->graph->origin = queue.number;
  captures().push_back(capture);
  join_capture(queue, *capture);
}

Graph* end_capture(Stream* stream) {
  EngineLock lock;
  Capture* capture = queue_of(stream).capture;
  if (!capture || capture->origin != stream) {
    set_error(kInvalidValue, "ending a capture that was not begun on this stream");
    return nullptr;
  }
  const bool joined = is_joined(*capture);
  leave(*capture);
  Graph* graph = capture->graph;
  if (capture->invalid)
    set_error(kStreamCaptureInvalidated, capture->cause);
  else if (!joined)
    set_error(kStreamCaptureUnjoined, "a stream that was forked during the capture was not joined");
  if (capture->invalid || !joined) {
    destroy_graph(graph);
    graph = nullptr;
  } else {
    take_branches(*graph);
  }
  delete capture;
  return graph;
}

bool is_capturing(const Stream* stream) { return static_cast<const Queue*>(stream)->capture != nullptr; }

// Forked branches are replayed on streams of their own, so that a missing edge inside of a graph is seen.
void replay(Graph& graph, Stream* stream) {
  EngineLock lock;
  auto& origin = queue_of(stream);
  see(origin, graph.last);
  Branches branches = branches_of(graph, origin);
  for (const GraphNode& node : graph.nodes) submit_node(node, branches);
  for (const auto& [number, queue] : graph.branches) see(origin, queue->clock());
  graph.last = origin.clock();
}

size_t node_count(const Graph& graph) { return graph.nodes.size(); }

void destroy_graph(Graph* graph) {
  EngineLock lock;
  graph->memory->graph_lives = false;
  for (void* pointer : graph->memory->freed) release(pointer, "the graph that owned it");
  for (const auto& [number, queue] : graph->branches) idle_branches().push_back(queue);
  for (GraphNode& node : graph->nodes) stream_engine().finished.push_back(std::move(node.task));
  delete graph;
}

std::shared_ptr<GraphMemory> memory_of_capture(const Stream* stream) {
  const Capture* capture = static_cast<const Queue*>(stream)->capture;
  return capture ? capture->graph->memory : nullptr;
}

bool keep_for_graph(GraphMemory& memory, void* pointer) {
  EngineLock lock;
  if (memory.graph_lives) memory.freed.push_back(pointer);
  return memory.graph_lives;
}

bool capture_task(Queue& queue, Task& task) {
  if (!queue.capture) return false;
  if (task.learner) check_current_stream(queue, task);
  ++queue.submitted;
  if (!task.learner) queue.torch_work = queue.submitted;
  queue.capture->graph->nodes.push_back({std::move(task), queue.number, queue.submitted, queue.seen});
  return true;
}

bool capture_free(Queue& queue, void* pointer) {
  if (!queue.capture) return false;
  return keep_for_graph(*queue.capture->graph->memory, pointer);
}

void capture_record(Event& event, Queue& queue) { event.capture = queue.capture ? queue.capture->id : 0; }

bool capture_wait(Queue& queue, const Event& event) {
  Capture* of_event = capture_by_id(event.capture);
  if (!event.capture) {
    if (!queue.capture) return true;
    refuse(*queue.capture, kStreamCaptureIsolation,
           "a capturing stream was made to wait for an event that was recorded outside of the capture");
  } else if (!of_event) {
    set_error(kCapturedEvent, "waiting for an event that was recorded in a capture, which has ended");
  } else if (queue.capture && queue.capture != of_event) {
    refuse(*queue.capture, kStreamCaptureMerge, "a stream waited for an event of another capture");
    invalidate(*of_event, "a stream of another capture waited for an event");
  } else if (queue.id == 0) {
    refuse(*of_event, kStreamCaptureUnsupported,
           "the legacy default stream was made to wait for a capturing stream");
  } else {
    join_capture(queue, *of_event);
    return true;
  }
  return false;
}

bool refuse_captured(const Event& event) {
  if (!event.capture) return false;
  const char* cause = "the host asked for an event that was recorded in a capture";
  set_error(kCapturedEvent, cause);
  if (Capture* capture = capture_by_id(event.capture)) invalidate(*capture, cause);
  return true;
}

bool refuse_implicit_wait(const Queue& queue, const char* what) {
  if (queue.id != 0 || captures().empty()) return false;
  for (Capture* capture : captures())
    for (const Queue* member : capture->members) {
      if (!member->blocking || member->device != queue.device) continue;
      refuse(*capture, kStreamCaptureImplicit,
             std::string(what) + " on the legacy default stream while a blocking stream is capturing");
      return true;
    }
  return false;
}

bool refuse_while_capturing(const char* what) {
  if (captures().empty()) return false;
  const std::string cause = std::string(what) + " while a stream is capturing";
  set_error(kStreamCaptureUnsupported, cause);
  for (Capture* capture : captures()) invalidate(*capture, cause);
  return true;
}

}  // namespace sim
