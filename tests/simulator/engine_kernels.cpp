// Kernels in the form that the front end emits, one case a fault and one its correct twin.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine_cases.h"
#include "front_end.h"

static float table__initial[4] = {1, 2, 3, 4};
static decltype(table__initial)& table = ::sim::symbol(table__initial, {"table", __LINE__});
static const float ramp[4] = {0.5f, 1.5f, 2.5f, 3.5f};

__global__ void add_one(const float* a, float* out, int n, int bound) { KERNEL(add_one, ARGS(ARG(a), ARG(out), ARG(n))) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < bound) out[i] = a[i] + 1;  // FAULT out_of_bounds
}); }

__global__ void store_before(float* out) { KERNEL(store_before, ARGS(ARG(out))) {
  out[static_cast<int>(threadIdx.x) - 1] = 1;  // FAULT before_begin
}); }

__global__ void read_four(const float4* a, float* out) { KERNEL(read_four, ARGS(ARG(a), ARG(out))) {
  const float4 v = a[threadIdx.x];  // FAULT misaligned
  out[threadIdx.x] = v.x + v.w;
}); }

__global__ void follow(const float* a, float* out) { KERNEL(follow, ARGS(ARG(a), ARG(out))) {
  out[threadIdx.x] = a[threadIdx.x];  // FAULT follow
}); }

__global__ void constants(float* out) { KERNEL(constants, ARGS(ARG(out))) {
  float local[4];
  for (int i = 0; i < 4; ++i) local[i] = ramp[i] + table[i];
  out[threadIdx.x] = local[threadIdx.x & 3];
}); }

__global__ void constant_overrun(float* out) { KERNEL(constant_overrun, ARGS(ARG(out))) {
  const float* const from = table;
  out[threadIdx.x] = from[threadIdx.x];  // FAULT constant
}); }

__global__ void local_overrun(float* out, int n) { KERNEL(local_overrun, ARGS(ARG(out), ARG(n))) {
  float local[4] = {1, 2, 3, 4};
  for (int i = 0; i < n; ++i) local[i] += 1;  // FAULT array_bounds
  out[threadIdx.x] = local[threadIdx.x & 3];
}); }

__global__ void reverse(const float* a, float* out, int written) { KERNEL(reverse, ARGS(ARG(a), ARG(out))) {
  SHARED(float, tile, [64]);
  if (static_cast<int>(threadIdx.x) < written) tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];  // FAULT unwritten
}); }

__global__ void shared_overrun(float* out, int at) { KERNEL(shared_overrun, ARGS(ARG(out))) {
  float* const tile = ::sim::dynamic_shared<float, ::sim::name_hash("tile")>("tile", __LINE__);
  tile[threadIdx.x + at] = 1;  // FAULT shared_overrun
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + at];
}); }

__global__ void shared_row_overrun(float* out, int at) { KERNEL(shared_row_overrun, ARGS(ARG(out))) {
  SHARED(float, tile, [2][32]);
  tile[0][threadIdx.x] = tile[1][threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x + at];  // FAULT shared_row_overrun
}); }

__global__ void divergent(float* out, int limit) { KERNEL(divergent, ARGS(ARG(out))) {
  if (static_cast<int>(threadIdx.x) < limit) {
    __syncthreads();  // FAULT first_barrier
    out[blockIdx.x * 64 + threadIdx.x] = 1;
  } else {
    __syncthreads();  // FAULT second_barrier
    out[blockIdx.x * 64 + threadIdx.x] = 2;
  }
}); }

__global__ void early_return(float* out, int n) { KERNEL(early_return, ARGS(ARG(out))) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  float* const mine = out + blockIdx.x * 64;
  mine[threadIdx.x] = 1;
  __syncthreads();
  const float other = mine[n - 1 - threadIdx.x];
  __syncthreads();
  mine[threadIdx.x] += other > 0 ? 1 : 0;
}); }

__global__ void stuck(float* out) { KERNEL(stuck, ARGS(ARG(out))) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_sync(0xffffffffu, v, 0);  // FAULT stuck_shuffle
  else __syncthreads();
  out[threadIdx.x] = v;
}); }

__global__ void masks_disagree(float* out) { KERNEL(masks_disagree, ARGS(ARG(out))) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) {
    v += __shfl_xor_sync(0x00ffffffu, v, 8);  // FAULT low_mask
  } else {
    v += __shfl_xor_sync(0xffffff00u, v, 8);  // FAULT high_mask
  }
  out[threadIdx.x] = v;
}); }

__global__ void operations_disagree(unsigned* out) { KERNEL(operations_disagree, ARGS(ARG(out))) {
  unsigned v = threadIdx.x;
  if (threadIdx.x % 2) {
    v = __ballot_sync(0xffffffffu, v > 3);  // FAULT ballot
  } else {
    v = __reduce_add_sync(0xffffffffu, v);  // FAULT reduce
  }
  out[threadIdx.x] = v;
}); }

// Halves of a warp go different ways, each with its own mask, and meet at the end.
__global__ void own_masks(float* out) { KERNEL(own_masks, ARGS(ARG(out))) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) {
    v += __shfl_xor_sync(0x0000ffffu, v, 8);
  } else {
    v += __shfl_xor_sync(0xffff0000u, v, 8);
    v += __shfl_xor_sync(0xffff0000u, v, 4);
  }
  out[threadIdx.x] = v + __shfl_xor_sync(0xffffffffu, v, 16);
}); }

__global__ void spin(volatile int* flag, float* out) { KERNEL(spin, ARGS(ARG(flag), ARG(out))) {
  while (*flag == 0) {}  // FAULT spin
  out[threadIdx.x] = 1;
}); }

__global__ void hand_over(int* flag, float* out) { KERNEL(hand_over, ARGS(ARG(flag), ARG(out))) {
  if (blockIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {}
    out[0] = 7;
  } else {
    atomicExch(flag, 1);
  }
}); }

__global__ void endless(float* out) { KERNEL(endless, ARGS(ARG(out))) {
  unsigned x = threadIdx.x + 1;
  while (x != 0) x = x * 2 + 1;  // FAULT endless
  out[threadIdx.x] = x;
}); }

__global__ void asserting(float* out, int n) { KERNEL(asserting, ARGS(ARG(out))) {
  assert(static_cast<int>(threadIdx.x) < n);  // FAULT assert
  out[threadIdx.x] = 1;
}); }

__global__ void warp_sum(const float* a, float* out) { KERNEL(warp_sum, ARGS(ARG(a), ARG(out))) {
  float v = a[threadIdx.x];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) out[0] = v;
}); }

__global__ void returned_lanes(const float* a, float* out, int n) { KERNEL(returned_lanes, ARGS(ARG(a), ARG(out))) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  float v = a[threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 1);  // FAULT absent_lane
  out[threadIdx.x] = v;
}); }

__global__ void collectives(double* out) { KERNEL(collectives, ARGS(ARG(out))) {
  const int t = threadIdx.x;
  const unsigned all = 0xffffffffu;
  double r = 0;
  r += __ballot_sync(all, t & 1) == 0xaaaaaaaau;
  r += __any_sync(all, t == 7) && !__any_sync(all, 0);
  r += __all_sync(all, t < 32) && !__all_sync(all, t < 31);
  r += __reduce_add_sync(all, t) == 496 && __reduce_max_sync(all, t) == 31 && __reduce_min_sync(all, -t) == -31;
  r += __match_any_sync(all, t / 8) == 0xffu << t / 8 * 8;
  r += __shfl_sync(all, 1.5 * t, 3) == 4.5;
  r += __shfl_up_sync(all, static_cast<long long>(t), 1) == (t ? t - 1 : 0);
  r += float(__shfl_xor_sync(all, __half(t), 4)) == (t ^ 4);
  r += __shfl_sync(all, t, 1, 8) == t / 8 * 8 + 1;
  r += __popc(__activemask()) == 32;
  if (t < 8) r += __activemask() == 0xffu;
  r += __syncthreads_count(t < 5) == 5 && __syncthreads_and(t < 40) && __syncthreads_or(t == 3);
  int same = 0;
  r += __match_all_sync(all, 3, &same) == all && same == 1;
  r += __match_all_sync(all, t, &same) == 0 && same == 0;
  out[t] = r - (t < 8);
}); }

__global__ void atomics(int* counts, float* sums, double* wide, unsigned* wrap, __half* halves) { KERNEL(atomics, ARGS(ARG(counts), ARG(sums))) {
  atomicAdd(counts, 1);
  atomicMax(counts + 1, static_cast<int>(threadIdx.x));
  atomicAdd(sums, 0.5f);
  atomicAdd(wide, 0.25);
  atomicInc(wrap, 9);
  atomicAdd(halves, __half(1));
  int old = counts[2], seen;
  do { seen = old; old = atomicCAS(counts + 2, seen, seen + 2); } while (old != seen);
}); }

__global__ void per_thread_parameters(float* out, int n) { KERNEL(per_thread_parameters, ARGS(ARG(out), ARG(n))) {
  n += 1;
  out += threadIdx.x;
  *out = n;
}); }

__global__ void divide(int* out, int by) { KERNEL(divide, ARGS(ARG(out))) {
  out[threadIdx.x] = 100 / by;  // FAULT divide
}); }

__global__ void tail(float* out) { KERNEL(tail, ARGS(ARG(out))) {
  volatile char big[1 << 20];
  big[threadIdx.x] = 1;  // FAULT stack
  out[threadIdx.x] = big[threadIdx.x];
}); }

__global__ void tag(int* out) { KERNEL(tag, ARGS(ARG(out))) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(out + gridDim.x * blockDim.x, 1);
}); }

__global__ void cached_read(const float* a, float* out) { KERNEL(cached_read, ARGS(ARG(a), ARG(out))) {
  out[threadIdx.x] = __ldg(a + 32 + threadIdx.x);  // FAULT cached_read
}); }

template <class T>
struct Restricted {
  using Pointer = T* __restrict__;
};

template <class T, class Pointer = typename Restricted<T>::Pointer>
struct Accessor {
  Pointer data_;
  int stride;
  Pointer data() const { return data_; }
};

__global__ void accessor(Accessor<float> rows, int n) { KERNEL(accessor, ARGS(ARG(rows), ARG(n))) {
  rows.data_[threadIdx.x * rows.stride] = n;  // FAULT accessor
}); }

__global__ void restricted(float* __restrict__ out, int n) { KERNEL(restricted, ARGS(ARG(out), ARG(n))) {
  out[n] = 1;  // FAULT restricted
}); }

__global__ void volatile_store(volatile float* out, int at) { KERNEL(volatile_store, ARGS(ARG(out), ARG(at))) {
  out[at] = 1;  // FAULT volatile
}); }

__global__ void atomic_add(float* out, int at) { KERNEL(atomic_add, ARGS(ARG(out), ARG(at))) {
  atomicAdd(out + at, 1.0f);  // FAULT atomic
}); }

__global__ void standard_atomic(int* out, int at) { KERNEL(standard_atomic, ARGS(ARG(out), ARG(at))) {
  __atomic_fetch_add(out + at, 1, __ATOMIC_RELAXED);  // FAULT standard_atomic
}); }

__global__ void copied(float* out, int at) { KERNEL(copied, ARGS(ARG(out), ARG(at))) {
  const float two[2] = {1, 2};
  memcpy(out + at, two, sizeof two);  // FAULT memcpy
}); }

__global__ void throwing(float* out, int n) { KERNEL(throwing, ARGS(ARG(out), ARG(n))) {
  if (static_cast<int>(threadIdx.x) >= n) throw std::runtime_error("too large");
  out[threadIdx.x] = 1;
}); }

__global__ void nested(float* out) { KERNEL(nested, ARGS(ARG(out))) {
  (LAUNCH(1, 1), throwing(out, 1));
}); }

namespace cg = cooperative_groups;
__global__ void groups(double* out) { KERNEL(groups, ARGS(ARG(out))) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const unsigned t = block.thread_rank();
  double r = 0;
  r += block.size() == 64 && tile.size() == 8 && tile.meta_group_size() == 8 && tile.meta_group_rank() == t / 8;
  r += tile.thread_rank() == t % 8;
  r += tile.shfl(t, 2) == t / 8 * 8 + 2;
  r += tile.shfl_xor(t, 1) == (t ^ 1);
  r += cg::reduce(tile, static_cast<int>(t % 8), cg::plus<int>()) == 28;
  r += cg::reduce(tile, t, cg::greater<unsigned>()) == t / 8 * 8 + 7;
  r += tile.ballot(tile.thread_rank() == 3) == 8;
  if (t % 2) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    r += odd.size() == 16 && odd.thread_rank() == t % 32 / 2 && odd.shfl(t, 1) == t / 32 * 32 + 3;
  } else {
    r += 1;
  }
  cg::sync(block);
  r += cg::this_grid().size() == 64;
  out[t] = r;
}); }

static float* filled(int n, float value = 1) {
  std::vector<float> host(n, value);
  return static_cast<float*>(device_copy(host.data(), n * sizeof(float)));
}
static float* fresh(int n) { return static_cast<float*>(device_empty(n * sizeof(float))); }

static const std::map<std::string, void (*)()> cases = {
    {"add_one", [] { (LAUNCH(5, 64), add_one(filled(300), fresh(300), 300, 300)); }},
    {"out_of_bounds", [] { (LAUNCH(5, 64), add_one(filled(301), fresh(300), 300, 301)); }},
    {"before_begin", [] { (LAUNCH(1, 4), store_before(fresh(4))); }},
    {"uninitialised_read", [] { (LAUNCH(1, 64), add_one(fresh(64), fresh(64), 64, 64)); }},
    {"aligned", [] { (LAUNCH(1, 2), read_four(reinterpret_cast<float4*>(filled(16)), fresh(4))); }},
    {"misaligned", [] { (LAUNCH(1, 2), read_four(reinterpret_cast<float4*>(filled(16) + 1), fresh(4))); }},
    {"use_after_free", [] { float* a = filled(32); device_free(a); (LAUNCH(1, 32), follow(a, fresh(32))); }},
    {"double_free", [] { float* a = filled(32); device_free(a); device_free(a); }},
    {"null", [] { (LAUNCH(1, 32), follow(nullptr, fresh(32))); }},
    {"host_pointer", [] { static std::vector<float> host(32, 1.0f); (LAUNCH(1, 32), follow(host.data(), fresh(32))); }},
    {"wild", [] { (LAUNCH(1, 32), follow(reinterpret_cast<float*>(0x7000000000000000), fresh(32))); }},
    {"far_away", [] { float* a = filled(32); (LAUNCH(1, 32), follow(a + (1ll << 34), fresh(32))); }},
    {"other_device", [] { (LAUNCH(1, 32), follow(static_cast<float*>(device_empty(128, 1)), fresh(32))); }},
    {"host_access", [] { float* a = filled(4); a[2] = 5; }},
    {"constants", [] { (LAUNCH(1, 4), constants(fresh(4))); }},
    {"constant_overrun", [] { (LAUNCH(1, 8), constant_overrun(fresh(8))); }},
    {"local_array", [] { (LAUNCH(1, 8), local_overrun(fresh(8), 4)); }},
    {"array_bounds", [] { (LAUNCH(1, 8), local_overrun(fresh(8), 5)); }},
    {"shared", [] { (LAUNCH(3, 64), reverse(filled(64), fresh(192), 64)); }},
    {"shared_unwritten", [] { (LAUNCH(3, 64), reverse(filled(64), fresh(192), 63)); }},
    {"shared_dynamic", [] { (LAUNCH(1, 32, 32 * sizeof(float)), shared_overrun(fresh(32), 0)); }},
    {"shared_overrun", [] { (LAUNCH(1, 32, 32 * sizeof(float)), shared_overrun(fresh(32), 1)); }},
    {"shared_row", [] { (LAUNCH(1, 32), shared_row_overrun(fresh(32), 0)); }},
    {"shared_row_overrun", [] { (LAUNCH(1, 32), shared_row_overrun(fresh(32), 1)); }},
    {"barrier", [] { (LAUNCH(2, 64), divergent(fresh(128), 64)); }},
    {"barrier_divergence", [] { (LAUNCH(2, 64), divergent(fresh(128), 32)); }},
    {"early_return", [] { (LAUNCH(2, 64), early_return(fresh(128), 40)); }},
    {"deadlock", [] { (LAUNCH(1, 32), stuck(fresh(32))); }},
    {"masks_disagree", [] { (LAUNCH(1, 32), masks_disagree(fresh(32))); }},
    {"operations_disagree", [] { (LAUNCH(1, 32), operations_disagree(static_cast<unsigned*>(device_empty(128)))); }},
    {"own_masks", [] { (LAUNCH(1, 32), own_masks(fresh(32))); }},
    {"spin", [] { static int zero = 0; (LAUNCH(1, 2), spin(static_cast<int*>(device_copy(&zero, 4)), fresh(2))); }},
    {"hand_over", [] { static int zero = 0; (LAUNCH(2, 1), hand_over(static_cast<int*>(device_copy(&zero, 4)), fresh(1))); }},
    {"endless", [] { (LAUNCH(1, 2), endless(fresh(2))); }},
    {"assert_holds", [] { (LAUNCH(1, 8), asserting(fresh(8), 8)); }},
    {"assert", [] { (LAUNCH(1, 8), asserting(fresh(8), 5)); }},
    {"warp_sum", [] { (LAUNCH(1, 32), warp_sum(filled(32, 2), keep_floats(fresh(1), 1))); }},
    {"absent_lane", [] { (LAUNCH(1, 32), returned_lanes(filled(32), fresh(32), 16)); }},
    {"collectives", [] { (LAUNCH(1, 32), collectives(keep_doubles(static_cast<double*>(device_empty(32 * 8)), 32))); }},
    {"atomics", [] {
       std::vector<double> zero(8);
       auto make = [&] { return device_copy(zero.data(), 64); };
       int* counts = static_cast<int*>(make());
       float* sums = static_cast<float*>(make());
       double* wide = static_cast<double*>(make());
       unsigned* wrap = static_cast<unsigned*>(make());
       __half* halves = static_cast<__half*>(make());
       keep_ints(counts, 3);
       keep_floats(sums, 1);
       keep_doubles(wide, 1);
       keep_ints(reinterpret_cast<int*>(wrap), 1);
       (LAUNCH(2, 64), atomics(counts, sums, wide, wrap, halves));
     }},
    {"parameters", [] { (LAUNCH(1, 4), per_thread_parameters(keep_floats(fresh(4), 4), 10)); }},
    {"divide", [] { (LAUNCH(1, 4), divide(static_cast<int*>(device_empty(16)), 0)); }},
    {"stack", [] { (LAUNCH(1, 4), tail(fresh(4))); }},
    {"too_many_threads", [] { (LAUNCH(1, 1025), add_one(filled(4), fresh(4), 4, 4)); }},
    {"no_blocks", [] { (LAUNCH(0, 32), add_one(filled(4), fresh(4), 4, 4)); }},
    {"tall_grid", [] { (LAUNCH(dim3(1, 65536), 32), add_one(filled(4), fresh(4), 4, 4)); }},
    {"much_shared", [] { (LAUNCH(1, 32, 48 * 1024 + 4), shared_overrun(fresh(32), 0)); }},
    {"opted_in", [] {
       allow_shared(reinterpret_cast<const void*>(&shared_overrun), 64 * 1024);
       (LAUNCH(1, 32, 48 * 1024 + 4), shared_overrun(fresh(32), 0));
     }},
    {"wrong_device_stream", [] { (LAUNCH(1, 32, 0, stream_of(1)), add_one(filled(4), fresh(4), 4, 4)); }},
    {"unconfigured", [] { add_one(nullptr, nullptr, 0, 0); }},
    {"host_memcpy", [] { float* a = filled(4); float b[4]; memcpy(b, a, 16); keep_host(b); }},
    {"cached_read", [] { (LAUNCH(1, 1), cached_read(filled(32), fresh(32))); }},
    {"volatile_overrun", [] { (LAUNCH(1, 1), volatile_store(fresh(4), 4)); }},
    {"atomic_overrun", [] { (LAUNCH(1, 1), atomic_add(filled(4), 4)); }},
    {"atomic_uninitialised", [] { (LAUNCH(1, 1), atomic_add(fresh(4), 0)); }},
    {"copied", [] { (LAUNCH(1, 1), copied(fresh(4), 3)); }},
    {"standard_atomic", [] { (LAUNCH(1, 1), standard_atomic(static_cast<int*>(device_empty(16)), 4)); }},
    {"groups", [] { (LAUNCH(1, 64), groups(keep_doubles(static_cast<double*>(device_empty(64 * 8)), 64))); }},
    {"accessor", [] { (LAUNCH(1, 3), accessor(Accessor<float>{fresh(4), 2}, 4)); }},
    {"restricted", [] { (LAUNCH(1, 1), restricted(fresh(4), 5)); }},
    {"throwing", [] { (LAUNCH(1, 4), throwing(fresh(4), 2)); }},
    {"nested", [] { (LAUNCH(1, 4), nested(fresh(4))); }},
    {"order", [] {
       static std::vector<int> zero(13);
       (LAUNCH(3, 4), tag(keep_ints(static_cast<int*>(device_copy(zero.data(), 52)), 12)));
     }},
};

bool run_case(const char* name) {
  const auto it = cases.find(name);
  if (it == cases.end()) return false;
  it->second();
  return true;
}
