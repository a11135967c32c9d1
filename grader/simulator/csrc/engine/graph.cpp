#include "graph.h"

#include <algorithm>

#include "error.h"
#include "stream_state.h"

namespace sim {

struct GraphNode {
  Task task;
  size_t branch;  // number of the queue that it was captured from
};

struct Graph {
  std::vector<GraphNode> nodes;
  std::shared_ptr<GraphMemory> memory = std::make_shared<GraphMemory>();
};

struct Capture {
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

void join_capture(Queue& queue, Capture& capture) {
  if (queue.capture == &capture) return;
  queue.capture = &capture;
  capture.members.push_back(&queue);
}

void invalidate_all(const char* what) {
  for (Capture* capture : captures()) {
    capture->invalid = true;
    capture->cause = what;
  }
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

}  // namespace

void begin_capture(Stream* stream) {
  EngineLock lock;
  auto& queue = queue_of(stream);
  if (queue.capture || queue.id == 0)
    return set_error(kStreamCaptureUnsupported, queue.id == 0 ? "capturing the legacy default stream"
                                                              : "capturing a stream that is capturing");
  auto* capture = new Capture{&queue, new Graph, {}, false, ""};
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
    set_error(kStreamCaptureInvalidated, capture->cause + " while a stream was capturing");
  else if (!joined)
    set_error(kStreamCaptureUnjoined, "a stream that was forked during the capture was not joined");
  if (capture->invalid || !joined) {
    destroy_graph(graph);
    graph = nullptr;
  }
  delete capture;
  return graph;
}

bool is_capturing(const Stream* stream) { return static_cast<const Queue*>(stream)->capture != nullptr; }
bool any_capturing() { return !captures().empty(); }

void replay(const Graph& graph, Stream* stream) {
  EngineLock lock;
  for (const GraphNode& node : graph.nodes) {
    Task task = node.task;
    task.replayed = true;
    submit(stream, std::move(task));
  }
}

size_t node_count(const Graph& graph) { return graph.nodes.size(); }

void destroy_graph(Graph* graph) {
  EngineLock lock;
  graph->memory->graph_lives = false;
  for (void* pointer : graph->memory->freed) release(pointer, "the graph that owned it");
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
  ++queue.submitted;
  if (task.learner)
    check_current_stream(queue, task);
  else
    queue.torch_work = queue.submitted;
  queue.capture->graph->nodes.push_back({std::move(task), queue.number});
  return true;
}

bool capture_free(Queue& queue, void* pointer) {
  if (!queue.capture) return false;
  return keep_for_graph(*queue.capture->graph->memory, pointer);
}

void capture_record(Event& event, Queue& queue) { event.capture = queue.capture; }

void capture_wait(Queue& queue, Event& event) {
  if (event.capture && event.capture->origin->capture == event.capture) join_capture(queue, *event.capture);
}

bool refuse_while_capturing(const char* what) {
  if (captures().empty()) return false;
  set_error(kStreamCaptureUnsupported, std::string(what) + " while a stream is capturing");
  invalidate_all(what);
  return true;
}

}  // namespace sim
