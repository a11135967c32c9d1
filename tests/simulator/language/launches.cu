// Every way to launch a kernel, and conditions on the architecture.
#include <vector>
#define PUT(value) out[__LINE__] = static_cast<double>(value)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) { return 0; }
#endif

#ifdef __CUDA_ARCH__
#define WHERE 1
#else
#define WHERE 0
#endif

__host__ __device__ inline int twice(int x) { return 2 * x; }
__forceinline__ __device__ int thrice(int x) { return 3 * x; }
__noinline__ __device__ int fourfold(int x) { return 4 * x; }
constexpr int square(int x) { return x * x; }

__global__ void architecture(double* out) {
#if __CUDA_ARCH__ >= 700
  PUT(1);                                                     // = 1
#else
  out[0] = 1;
#endif
#ifdef __CUDA_ARCH__
  PUT(WHERE);                                                 // = 1
#endif
  PUT(twice(2) + thrice(2) + fourfold(2));                    // = 18
  PUT(square(blockDim.x));                                    // = 1
}

namespace outer {
namespace inner {
template <class T, int N>
__global__ void add(T* at, T value) {
  atomicAdd(at, value * N);
}
}  // namespace inner
}  // namespace outer

struct Scale {
  double factor;
  __device__ double operator()(double x) const { return factor * x; }
};
template <class F>
__global__ void apply(double* at, F f) {
  atomicAdd(at, f(1.0));
}
extern "C" __global__ void with_default(double* at, double value = 0.25);
extern "C" __global__ void with_default(double* at, double value) { atomicAdd(at, value); }
__global__ void overloaded(double* at) { *at += 1; }
__global__ void overloaded(double* at, int n) { *at += n; }
__global__ void pointers(double* at, const float* null, int* also) { *at += (null == nullptr) + (also == nullptr); }

#define LAUNCH(kernel, grid, ...) kernel<<<grid, 1>>>(__VA_ARGS__)
#define KERNEL(name, step) \
  __global__ void name(double* at) { atomicAdd(at, step); }
KERNEL(made_by_macro, 3)

static double launched(double* at) {
  double back = 0;
  cudaMemcpy(&back, at, sizeof back, cudaMemcpyDeviceToHost);
  cudaMemset(at, 0, sizeof back);
  return back;
}

void run_architecture(long long out) { architecture<<<1, 1>>>((double*)out); }
void run_launches(long long where) {
  double* const device = (double*)where;
  double* const at = device + 1000;
  std::vector<double> host(300, 0.0);
  double* out = host.data();
  cudaMemset(at, 0, sizeof(double));
  outer::inner::add<double, (3 > 2) ? 5 : 1><<<dim3(1, 2), dim3(2, 1)>>>(at, 1.0);
  PUT(launched(at));                                          // = 20
  apply<<<1, 1>>>(at, Scale{7});
  PUT(launched(at));                                          // = 7
  with_default<<<1, 1>>>(at);
  PUT(launched(at));                                          // = 0.25
  overloaded<<<1, 1>>>(at);
  overloaded<<<1, 1>>>(at, 5);
  PUT(launched(at));                                          // = 6
  pointers<<<1, 1>>>(at, 0, NULL);
  PUT(launched(at));                                          // = 2
  LAUNCH(made_by_macro, 2, at);
  PUT(launched(at));                                          // = 6
  void (*pointer)(double*, int) = overloaded;
  pointer<<<1, 1>>>(at, 9);
  auto also = &made_by_macro;
  (*also)<<<1, 1>>>(at);
  PUT(launched(at));                                          // = 12
  auto in_lambda = [&](int n) { overloaded<<<1, 1>>>(at, n); };
  in_lambda(4);
  true ? overloaded<<<1, 1>>>(at, 10) : overloaded<<<1, 1>>>(at);
  for (int i = 0; i < 3; ++i) overloaded<<<1, 1>>>(at);
  PUT(launched(at));                                          // = 17
  double value = 2.5;
  double* pointer_to = at;
  void* arguments[] = {&pointer_to, &value};
  cudaLaunchKernel((void*)with_default, dim3(1), dim3(1), arguments, 0, 0);
  cudaLaunchKernel(with_default, 2, 1, arguments);
  PUT(launched(at));                                          // = 7.5
  cudaLaunchKernel((const void*)outer::inner::add<double, 3>, dim3(1), dim3(2), arguments, 0, nullptr);
  PUT(launched(at));                                          // = 15
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 1;
  cudaLaunchKernelEx(&config, with_default, at, 1.0);
  cudaLaunchKernelExC(&config, (const void*)with_default, arguments);
  PUT(launched(at));                                          // = 3.5
  overloaded /* a comment <<<1>>> */ <<< 1
    , 1 >>> (
      at
      // and <<<2, 2>>>
      , 3);
  PUT(launched(at));                                          // = 3
  const char* text = R"(kernel<<<1, 1>>>(x))";
  PUT(text[6]);                                               // = ord("<")
  cudaFuncAttributes attributes;
  PUT(cudaFuncGetAttributes(&attributes, made_by_macro));     // = 0
  int blocks = 0, grid = 0, block = 0;
  PUT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, made_by_macro, 1024, 0) + blocks);  // = 2
  PUT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, made_by_macro) + block);  // = 1024
  cudaDeviceProp properties;
  PUT(cudaGetDeviceProperties(&properties, 0) + properties.warpSize);  // = 32
  int most = 0;
  PUT(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0) + most);  // = 1024
  cudaMemcpy(device + 70, out + 70, sizeof(double) * 200, cudaMemcpyHostToDevice);
}
