// CUDA's devices, errors and occupancy for learners' units.
#include <algorithm>

#include "../engine/launch.h"
#include "../engine/memory.h"
#include "../torch/errors.h"
#include "call.h"

namespace sim {

namespace {

constexpr int kVersion = 13000;

cudaDeviceProp simulated_properties() {
  cudaDeviceProp properties;
  properties.totalGlobalMem = kDeviceBytes;
  return properties;
}

bool is_device(int device) { return device >= 0 && device < device_count(); }

cudaError_t no_such_device(const char* function, int device) {
  return fail(cudaErrorInvalidDevice,
              std::string(function) + ": there is no device " + std::to_string(device));
}

int64_t attribute_of(const cudaDeviceProp& device, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return device.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return device.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return device.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return device.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return device.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return device.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return device.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return device.sharedMemPerBlock;
    case cudaDevAttrTotalConstantMemory:
      return device.totalConstMem;
    case cudaDevAttrWarpSize:
      return device.warpSize;
    case cudaDevAttrMaxRegistersPerBlock:
      return device.regsPerBlock;
    case cudaDevAttrClockRate:
      return 1980000;
    case cudaDevAttrMemoryClockRate:
      return 3201000;
    case cudaDevAttrGlobalMemoryBusWidth:
      return device.memoryBusWidth;
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrConcurrentManagedAccess:
      return 0;
    case cudaDevAttrCanMapHostMemory:
      return device.canMapHostMemory;
    case cudaDevAttrEccEnabled:
      return device.ECCEnabled;
    case cudaDevAttrAsyncEngineCount:
      return device.asyncEngineCount;
    case cudaDevAttrMaxPitch:
      return device.memPitch;
    case cudaDevAttrTextureAlignment:
      return device.textureAlignment;
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrComputePreemptionSupported:
      return 1;
    case cudaDevAttrMultiProcessorCount:
      return device.multiProcessorCount;
    case cudaDevAttrConcurrentKernels:
      return device.concurrentKernels;
    case cudaDevAttrL2CacheSize:
      return device.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return device.maxThreadsPerMultiProcessor;
    case cudaDevAttrUnifiedAddressing:
      return device.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return device.major;
    case cudaDevAttrComputeCapabilityMinor:
      return device.minor;
    case cudaDevAttrStreamPrioritiesSupported:
      return device.streamPrioritiesSupported;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return device.sharedMemPerMultiprocessor;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return device.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
      return device.managedMemory;
    case cudaDevAttrCooperativeLaunch:
      return device.cooperativeLaunch;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return device.sharedMemPerBlockOptin;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return device.maxBlocksPerMultiProcessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return device.reservedSharedMemPerBlock;
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      return -1;
  }
}

}  // namespace

namespace api {

cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(take_error()); }
cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(peek_error()); }
const char* cudaGetErrorString(cudaError_t error) { return error_string(error); }
const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return context_error();
}

cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return no_such_device("cudaSetDevice", device);
  set_current_device(device);
  return context_error();
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return context_error();
}

cudaError_t cudaDeviceSynchronize() {
  synchronize_device(current_device(), Caller::kLearner);
  const int error = peek_error();
  return error >= kStreamCaptureUnsupported ? static_cast<cudaError_t>(error) : context_error();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_device(device)) return no_such_device("cudaGetDeviceProperties", device);
  *properties = simulated_properties();
  return context_error();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!is_device(device)) return no_such_device("cudaDeviceGetAttribute", device);
  const int64_t found = attribute_of(simulated_properties(), attribute);
  if (found < 0)
    return fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute: the simulator lacks this attribute");
  *value = static_cast<int>(found);
  return context_error();
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return no_such_device("cudaDeviceCanAccessPeer", device);
  *can = 0;
  return context_error();
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) {
  return fail(cudaErrorPeerAccessUnsupported,
              "cudaDeviceEnablePeerAccess: the simulated devices are no peers");
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return fail(cudaErrorPeerAccessNotEnabled, "cudaDeviceDisablePeerAccess: never enabled");
}

cudaError_t cudaDeviceReset() {
  return fail(cudaErrorNotSupported, "cudaDeviceReset would destroy PyTorch's tensors");
}

cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return context_error(); }

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? 1024 : limit == cudaLimitPrintfFifoSize ? 1 << 20 : 8 << 20;
  return context_error();
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return context_error(); }
cudaError_t cudaSetDeviceFlags(unsigned int) { return context_error(); }

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  *flags = 0;
  return context_error();
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return context_error();
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return context_error();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

}  // namespace api

namespace host {

const cudaDeviceProp* device_properties(int device) {
  static const cudaDeviceProp properties = simulated_properties();
  return is_device(device) ? &properties : nullptr;
}

cudaError_t set_function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return context_error();
  if (!set_dynamic_shared_limit(function, value))
    return fail(cudaErrorInvalidValue,
                "cudaFuncSetAttribute: more dynamic shared memory than a block can have");
  return context_error();
}

cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = {};
  attributes->maxDynamicSharedSizeBytes = dynamic_shared_limit(function);
  return context_error();
}

// Registers are unknown here, so only threads, blocks and dynamic shared memory limit the occupancy.
cudaError_t active_blocks(int* blocks, int threads, size_t dynamic_shared_bytes) {
  const cudaDeviceProp device = simulated_properties();
  *blocks = 0;
  if (threads <= 0) return fail(cudaErrorInvalidValue, "occupancy of a block without threads");
  if (threads > device.maxThreadsPerBlock) return context_error();
  const int warps = (threads + device.warpSize - 1) / device.warpSize;
  const size_t shared = dynamic_shared_bytes + device.reservedSharedMemPerBlock;
  *blocks = std::min({device.maxThreadsPerMultiProcessor / (warps * device.warpSize),
                      device.maxBlocksPerMultiProcessor,
                      static_cast<int>(device.sharedMemPerMultiprocessor / shared)});
  return context_error();
}

cudaError_t potential_block_size(int* grid, int* block, size_t dynamic_shared_bytes, int limit) {
  const cudaDeviceProp device = simulated_properties();
  *block = limit > 0 ? std::min(limit, device.maxThreadsPerBlock) : device.maxThreadsPerBlock;
  int blocks = 0;
  const cudaError_t error = active_blocks(&blocks, *block, dynamic_shared_bytes);
  *grid = blocks * device.multiProcessorCount;
  return error;
}

}  // namespace host

}  // namespace sim
