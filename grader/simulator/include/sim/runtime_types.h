// Types and constants of CUDA's runtime, with CUDA's numbers.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "../vector_types.h"
#include "runtime_numbers.h"

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef void (*cudaHostFn_t)(void* data);

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventWaitDefault 0x00
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaOccupancyDefault 0x00

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};

enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2,
};

enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
};

enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100,
};

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributePriority = 8,
};
union cudaLaunchAttributeValue {
  char pad[64];
  int priority;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
};

struct cudaFuncAttributes {
  size_t sharedSizeBytes = 0;
  size_t constSizeBytes = 0;
  size_t localSizeBytes = 0;
  int maxThreadsPerBlock = 1024;
  int numRegs = 32;
  int ptxVersion = 90;
  int binaryVersion = 90;
  int maxDynamicSharedSizeBytes = 48 * 1024;
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

struct cudaPointerAttributes {
  enum cudaMemoryType type = cudaMemoryTypeUnregistered;
  int device = -2;
  void* devicePointer = nullptr;
  void* hostPointer = nullptr;
};

// What the simulated device claims to be: compute capability 9.0, with the limits of an H200.
struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256] = "Simulated GPU";
  cudaUUID_t uuid = {};
  char luid[8] = {};
  unsigned int luidDeviceNodeMask = {};
  size_t totalGlobalMem = 0;
  size_t sharedMemPerBlock = 48 * 1024;
  int regsPerBlock = 65536;
  int warpSize = 32;
  size_t memPitch = 2147483647;
  int maxThreadsPerBlock = 1024;
  int maxThreadsDim[3] = {1024, 1024, 64};
  int maxGridSize[3] = {2147483647, 65535, 65535};
  size_t totalConstMem = 65536;
  int major = 9;
  int minor = 0;
  size_t textureAlignment = 512;
  size_t texturePitchAlignment = 32;
  int multiProcessorCount = 132;
  int integrated = 0;
  int canMapHostMemory = 1;
  size_t surfaceAlignment = 512;
  int concurrentKernels = 1;
  int ECCEnabled = 1;
  int pciBusID = {};
  int pciDeviceID = {};
  int pciDomainID = {};
  int tccDriver = {};
  int asyncEngineCount = 3;
  int unifiedAddressing = 1;
  int memoryBusWidth = 6144;
  int l2CacheSize = 62914560;
  int persistingL2CacheMaxSize = 39321600;
  int maxThreadsPerMultiProcessor = 2048;
  int streamPrioritiesSupported = 1;
  int globalL1CacheSupported = 1;
  int localL1CacheSupported = 1;
  size_t sharedMemPerMultiprocessor = 228 * 1024;
  int regsPerMultiprocessor = 65536;
  int managedMemory = 0;
  int isMultiGpuBoard = {};
  int multiGpuBoardGroupID = {};
  int hostNativeAtomicSupported = 0;
  int pageableMemoryAccess = 0;
  int concurrentManagedAccess = {};
  int computePreemptionSupported = 1;
  int canUseHostPointerForRegisteredMem = 1;
  int cooperativeLaunch = 1;
  size_t sharedMemPerBlockOptin = 227 * 1024;
  int pageableMemoryAccessUsesHostPageTables = {};
  int directManagedMemAccessFromHost = {};
  int maxBlocksPerMultiProcessor = 32;
  int accessPolicyMaxWindowSize = 134217728;
  size_t reservedSharedMemPerBlock = 1024;
  int hostRegisterSupported = 1;
  int sparseCudaArraySupported = {};
  int hostRegisterReadOnlySupported = {};
  int timelineSemaphoreInteropSupported = {};
  int memoryPoolsSupported = 1;
  int gpuDirectRDMASupported = {};
  unsigned int gpuDirectRDMAFlushWritesOptions = {};
  int gpuDirectRDMAWritesOrdering = {};
  unsigned int memoryPoolSupportedHandleTypes = {};
  int deferredMappingCudaArraySupported = {};
  int ipcEventSupported = {};
  int clusterLaunch = 1;
  int unifiedFunctionPointers = 1;
  int deviceNumaConfig = {};
  int deviceNumaId = {};
  int mpsEnabled = {};
  int hostNumaId = {};
  unsigned int gpuPciDeviceID = {};
  unsigned int gpuPciSubsystemID = {};
  int hostNumaMultinodeIpcSupported = {};
};
