// CUDA's error state: the last error of the host thread, and the sticky error of the context.
#pragma once
#include <string>

namespace sim {

// Numbers are CUDA's own (cudaError_t).
enum Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInvalidConfiguration = 9,
  kInvalidDevicePointer = 17,
  kInvalidDevice = 101,
  kNotReady = 600,
  kIllegalAddress = 700,
  kInvalidResourceHandle = 400,
  kMisalignedAddress = 716,
  kAssert = 710,
  kLaunchTimeout = 702,
  kLaunchFailure = 719,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureMerge = 902,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
};

void set_error(Error error, const std::string& cause, bool sticky = false);
Error peek_error();  // what cudaPeekAtLastError returns
Error take_error();  // what cudaGetLastError returns; a sticky error stays
Error sticky();      // kSuccess, or what every later call of this process returns
const std::string& error_cause();

}  // namespace sim
