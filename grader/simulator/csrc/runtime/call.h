// What every function of CUDA's runtime does first and last.
#pragma once
#include <string>

#include "../../include/sim/runtime_api.h"
#include "../engine/error.h"
#include "../engine/stream.h"

namespace sim {

inline cudaError_t fail(cudaError_t error, const std::string& cause) {
  set_error(static_cast<Error>(error), cause);
  return error;
}

// Every call on a lost context returns the error that lost it.
inline cudaError_t context_error() { return static_cast<cudaError_t>(sticky()); }

inline Stream* stream_of(cudaStream_t stream) { return resolve(stream); }
inline cudaStream_t handle_of(Stream* stream) { return reinterpret_cast<cudaStream_t>(stream); }

inline cudaError_t no_such_stream(const char* function) {
  return fail(cudaErrorInvalidResourceHandle, std::string(function) + ": no such stream");
}

// Where the learner's unit called from: inside the call instruction, so that the line is the call's.
#define SIM_CALLER (static_cast<const char*>(__builtin_return_address(0)) - 1)

}  // namespace sim
