// CUDA's streams, events and graphs for learners' units.
#include "../engine/graph.h"
#include "call.h"

namespace sim {

namespace {

Event* event_of(cudaEvent_t event) { return reinterpret_cast<Event*>(event); }
Graph* graph_of(cudaGraph_t graph) { return reinterpret_cast<Graph*>(graph); }
Graph* graph_of(cudaGraphExec_t graph) { return reinterpret_cast<Graph*>(graph); }

cudaError_t make_stream(cudaStream_t* stream, bool blocking) {
  if (context_error()) return context_error();
  *stream = handle_of(new_stream(current_device(), blocking));
  return cudaSuccess;
}

// The error that a refused synchronisation left behind, without clearing it.
cudaError_t after_waiting() {
  const int error = peek_error();
  return error >= kStreamCaptureUnsupported ? static_cast<cudaError_t>(error) : context_error();
}

}  // namespace

namespace api {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return make_stream(stream, true); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return make_stream(stream, !(flags & cudaStreamNonBlocking));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
  return make_stream(stream, !(flags & cudaStreamNonBlocking));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Stream* found = stream_of(stream);
  if (!found || found->id == 0) return no_such_stream("cudaStreamDestroy");
  destroy_stream(found);
  return context_error();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamSynchronize");
  synchronize(found, Caller::kLearner);
  return after_waiting();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamQuery");
  const bool done = query(found);
  return after_waiting() ? after_waiting() : done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamWaitEvent");
  if (!event) return fail(cudaErrorInvalidResourceHandle, "cudaStreamWaitEvent: no such event");
  wait(found, event_of(event));
  return after_waiting();
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamGetFlags");
  *flags = found->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
  return context_error();
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!stream_of(stream)) return no_such_stream("cudaStreamGetPriority");
  *priority = 0;
  return context_error();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamIsCapturing");
  *status = is_capturing(found) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return context_error();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamBeginCapture");
  begin_capture(found);
  return after_waiting();
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaStreamEndCapture");
  *graph = reinterpret_cast<cudaGraph_t>(end_capture(found));
  return *graph ? cudaSuccess : static_cast<cudaError_t>(peek_error());
}

// The executable graph is the graph itself, which lives as long as the process does: learners' units rarely
// make one.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (!graph) return fail(cudaErrorInvalidValue, "cudaGraphInstantiate: no graph");
  *exec = reinterpret_cast<cudaGraphExec_t>(graph_of(graph));
  return context_error();
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaGraphLaunch");
  if (!exec) return fail(cudaErrorInvalidValue, "cudaGraphLaunch: no graph");
  replay(*graph_of(exec), found);
  return context_error();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return context_error(); }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return context_error(); }

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaLaunchHostFunc");
  Task task{"cudaLaunchHostFunc", 0, [=] { function(data); }};
  task.learner = true;
  task.pc = SIM_CALLER;
  submit(found, std::move(task));
  return context_error();
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new_event());
  return context_error();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) { return cudaEventCreate(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle, "cudaEventDestroy: no such event");
  destroy_event(event_of(event));
  return context_error();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Stream* found = stream_of(stream);
  if (!found) return no_such_stream("cudaEventRecord");
  if (!event) return fail(cudaErrorInvalidResourceHandle, "cudaEventRecord: no such event");
  record(event_of(event), found);
  return after_waiting();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle, "cudaEventQuery: no such event");
  const bool done = query(event_of(event));
  return after_waiting() ? after_waiting() : done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle, "cudaEventSynchronize: no such event");
  synchronize(event_of(event), Caller::kLearner);
  return after_waiting();
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;
  return fail(cudaErrorNotSupported, "cudaEventElapsedTime: the simulator measures no device time");
}

}  // namespace api

namespace host {

cudaStream_t current_stream(int device) { return handle_of(sim::current_stream(device)); }
cudaStream_t pool_stream(int device) { return handle_of(sim::pool_stream(device)); }
cudaStream_t stream_by_id(int device, int64_t id) { return handle_of(sim::stream_by_id(device, id)); }

void set_current_stream(cudaStream_t stream, int device) {
  Stream* found = stream ? stream_of(stream) : default_stream(device);
  if (found) sim::set_current_stream(found);
}

int64_t stream_id(cudaStream_t stream) {
  const Stream* found = stream_of(stream);
  return found ? found->id : -1;
}

int stream_device(cudaStream_t stream) {
  const Stream* found = stream_of(stream);
  return found ? found->device : -1;
}

}  // namespace host

}  // namespace sim
