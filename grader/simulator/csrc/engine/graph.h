// Stream capture and replay.
#pragma once
#include <cstdint>

#include "stream.h"

namespace sim {

struct Graph;

// Work submitted to `stream`, and to streams that wait for it, is recorded and not run.
void begin_capture(Stream* stream);
// Null when the capture failed; CUDA's error is set then.
Graph* end_capture(Stream* stream);
bool is_capturing(const Stream* stream);
bool any_capturing();
// Submits the recorded work to `stream`.
void replay(const Graph& graph, Stream* stream);
size_t node_count(const Graph& graph);
// Frees what PyTorch freed during the capture.
void destroy_graph(Graph* graph);

}  // namespace sim
