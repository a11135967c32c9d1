// Stream capture and replay.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "stream.h"

namespace sim {

struct Graph;

// Work submitted to `stream`, and to streams that wait for it, is recorded and not run.
void begin_capture(Stream* stream);
// Null when the capture failed; CUDA's error is set then.
Graph* end_capture(Stream* stream);
bool is_capturing(const Stream* stream);
// What CUDA forbids while a stream is capturing: sets the error and spoils the captures.
bool refuse_while_capturing(const char* what);
// Submits the recorded work to `stream`.
void replay(Graph& graph, Stream* stream);
size_t node_count(const Graph& graph);
// Frees the memory that belongs to the graph.
void destroy_graph(Graph* graph);

// Memory that was allocated while capturing stays the graph's, however early the tensor goes: replays write
// to it.
struct GraphMemory {
  bool graph_lives = true;
  std::vector<void*> freed;
};
// Null when the stream is not capturing.
std::shared_ptr<GraphMemory> memory_of_capture(const Stream* stream);
// Whether the graph took the pointer over.
bool keep_for_graph(GraphMemory& memory, void* pointer);

}  // namespace sim
