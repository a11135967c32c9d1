// Atomics, symbols, shared memory, printf and what else a kernel may say.  128 threads; thread 0 tells.
#include <cassert>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define PUT(value)                           \
  do {                                       \
    __syncthreads();                         \
    if (threadIdx.x == 0) out[__LINE__] = static_cast<double>(value); \
  } while (0)

__constant__ float coefficients[4] = {1, 2, 3, 4};
__constant__ int late;
__device__ int counter = 5;
static __device__ float table[2][3];
struct Pair {
  int a;
  float b;
};
__constant__ Pair pair_of;

__device__ float float_max(float* address, float value) {
  int* as_int = reinterpret_cast<int*>(address);
  int old = *as_int, seen;
  do {
    seen = old;
    old = atomicCAS(as_int, seen, __float_as_int(fmaxf(value, __int_as_float(seen))));
  } while (seen != old);
  return __int_as_float(old);
}

__global__ void atomics(double* out) {
  __shared__ int i[12];
  __shared__ unsigned u[4];
  __shared__ unsigned long long w[3];
  __shared__ float f[3];
  __shared__ double d;
  __shared__ __half h;
  __shared__ __half2 h2;
  __shared__ __nv_bfloat16 b;
  const int t = threadIdx.x;
  if (t == 0) {
    for (int k = 0; k < 12; ++k) i[k] = 0;
    for (int k = 0; k < 4; ++k) u[k] = 0;
    w[0] = w[1] = w[2] = 0;
    f[0] = f[1] = 0;
    f[2] = -1;
    d = 0;
    i[3] = 1000, i[5] = -1, u[1] = 100;
    h = __float2half(0), h2 = __float2half2_rn(0), b = __float2bfloat16(0);
  }
  __syncthreads();
  atomicAdd(&i[0], t);
  atomicSub(&i[1], 1);
  atomicMax(&i[2], t);
  atomicMin(&i[3], t - 50);
  atomicOr(&i[4], 1 << t % 32);
  atomicAnd(&i[5], ~(1 << t % 4));
  atomicXor(&i[6], t);
  atomicAdd_block(&i[7], 1);
  atomicAdd_system(&i[8], 1);
  atomicInc(&u[0], 99u);
  atomicDec(&u[1], 100u);
  atomicMax(&u[2], 7u);
  atomicAdd(&w[0], 1ull << 33);
  atomicMax(&w[1], (unsigned long long)t);
  atomicOr(&w[2], 1ull << t % 64);
  atomicAdd(&f[0], 0.5f);
  atomicExch(&f[1], 2.5f);
  float_max(&f[2], (float)t);
  atomicAdd(&d, 0.25);
  atomicAdd(&h, __float2half(1.0f));
  atomicAdd(&h2, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(&b, __float2bfloat16(1.0f));
  PUT(i[0]);                                                  // = 8128
  PUT(i[1]);                                                  // = -128
  PUT(i[2]);                                                  // = 127
  PUT(i[3]);                                                  // = -50
  PUT(i[4]);                                                  // = -1
  PUT(i[5]);                                                  // = -16
  PUT(i[6]);                                                  // = 0
  PUT(i[7] + i[8]);                                           // = 256
  PUT(u[0]);                                                  // = 28
  PUT(u[1]);                                                  // = 100-128+101
  PUT(u[2]);                                                  // = 7
  PUT(w[0]);                                                  // = 2**40
  PUT(w[1]);                                                  // = 127
  PUT(~w[2]);                                                 // = 0
  PUT(f[0]);                                                  // = 64
  PUT(f[1]);                                                  // = 2.5
  PUT(f[2]);                                                  // = 127
  PUT(d);                                                     // = 32
  PUT(__half2float(h));                                       // = 128
  PUT(__high2float(h2));                                      // = 256
  PUT(__bfloat162float(b));                                   // = 128
  if (t == 0) {
    PUT(atomicCAS(&i[9], 0, 5));                              // = 0
    PUT(atomicCAS(&i[9], 0, 6));                              // = 5
    PUT(i[9]);                                                // = 5
    PUT(atomicExch(&w[0], 3ull));                             // = 2**40
  }
}

template <class T, int N>
__global__ void shared_in_template(T* out) {
  __shared__ T tile[N][N + 1];
  extern __shared__ __align__(16) unsigned char raw[];
  T* dynamic = reinterpret_cast<T*>(raw);
  const int t = threadIdx.x;
  if (t < N * N) tile[t / N][t % N] = t;
  dynamic[t] = t;
  PUT(tile[N - 1][N - 1]);                                    // = 63
  PUT(dynamic[127]);                                          // = 127
  PUT(sizeof(tile) / sizeof(T));                              // = 72
}

__global__ void __launch_bounds__(128, 2) symbols(const __grid_constant__ int n, double* __restrict__ out) {
  __builtin_assume(n > 0);
  assert(n == 3);
#pragma unroll 4
  for (int k = 0; k < n && threadIdx.x < 2; ++k) table[threadIdx.x][k] = k;
  atomicAdd(&counter, 1);
  PUT(coefficients[0] + coefficients[3]);                     // = 5
  PUT(late);                                                  // = 42
  PUT(pair_of.a + pair_of.b);                                 // = 9.5
  PUT(counter);                                               // = 5+128+10
  PUT(table[1][2]);                                           // = 2
  const long long before = clock64();
  __nanosleep(20);
  PUT(clock64() >= before);                                   // = 1
  if (n < 0) {
    printf("never: %d\n", n);
    __trap();
  }
}

void run_atomics(long long out) { atomics<<<1, 128>>>((double*)out); }
void run_shared_in_template(long long out) {
  shared_in_template<double, 8><<<1, 128, 128 * sizeof(double)>>>((double*)out);
}
void run_symbols(long long out) {
  const int value = 42, more = 15;
  const Pair pair = {2, 7.5f};
  void* address = nullptr;
  size_t bytes = 0;
  cudaMemcpyToSymbol(late, &value, sizeof value);
  cudaMemcpyToSymbolAsync(pair_of, &pair, sizeof pair, 0, cudaMemcpyHostToDevice, 0);
  cudaGetSymbolAddress(&address, counter);
  cudaGetSymbolSize(&bytes, counter);
  cudaMemcpy(address, &more, bytes, cudaMemcpyHostToDevice);
  symbols<<<1, 128>>>(3, (double*)out);
}
