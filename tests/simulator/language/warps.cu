// Warp and block collectives, and cooperative groups.  64 threads; lane 5 of the first warp tells.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define PUT(value)                           \
  do {                                       \
    const double told = (value);             \
    if (threadIdx.x == 5) out[__LINE__] = told; \
  } while (0)
namespace cg = cooperative_groups;
const unsigned ALL = 0xffffffffu;

__global__ void shuffles(double* out) {
  const int lane = threadIdx.x % 32;
  PUT(__shfl_sync(ALL, lane * 10, 7));                        // = 70
  PUT(__shfl_sync(ALL, lane * 10, 7, 4));                     // = 70
  PUT(__shfl_sync(ALL, lane * 10, -1));                       // = 310
  PUT(__shfl_up_sync(ALL, lane, 2));                          // = 3
  PUT(__shfl_up_sync(ALL, lane, 2, 4));                       // = 5
  PUT(__shfl_down_sync(ALL, lane, 2));                        // = 7
  PUT(__shfl_down_sync(ALL, lane, 3, 8));                     // = 5
  PUT(__shfl_xor_sync(ALL, lane, 1));                         // = 4
  PUT(__shfl_xor_sync(ALL, lane, 16));                        // = 21
  PUT(__shfl_sync(ALL, lane + 0.5, 3));                       // = 3.5
  PUT(__shfl_sync(ALL, lane + 0.5f, 3));                      // = 3.5
  PUT(__shfl_sync(ALL, (long long)lane << 40, 1));            // = 2**40
  PUT(__shfl_sync(ALL, (unsigned long)lane, 9));              // = 9
  PUT(__shfl_sync(ALL, (char)lane, 9));                       // = 9
  PUT(__shfl_sync(ALL, lane % 2 == 1, 9));                    // = 1
  PUT(__half2float(__shfl_sync(ALL, __int2half_rn(lane), 9)));  // = 9
  PUT(__high2float(__shfl_xor_sync(ALL, __floats2half2_rn(lane, -lane), 1)));  // = -4
  PUT(__bfloat162float(__shfl_down_sync(ALL, __int2bfloat16_rn(lane), 1)));  // = 6
  PUT(__ballot_sync(ALL, lane < 3));                          // = 7
  PUT(__any_sync(ALL, lane == 31));                           // = 1
  PUT(__all_sync(ALL, lane < 31));                            // = 0
  PUT(__match_any_sync(ALL, lane / 8));                       // = 0xFF
  int same;
  PUT(__match_all_sync(ALL, 3.0, &same));                     // = 0xFFFFFFFF
  PUT(same);                                                  // = 1
  PUT(__match_all_sync(ALL, lane, &same) + same);             // = 0
  PUT(__reduce_add_sync(ALL, lane));                          // = 496
  PUT(__reduce_min_sync(ALL, lane - 10));                     // = -10
  PUT(__reduce_max_sync(ALL, (unsigned)(lane - 10)));         // = 2**32-1
  PUT(__reduce_or_sync(ALL, 1u << lane));                     // = 0xFFFFFFFF
  PUT(__reduce_xor_sync(ALL, (unsigned)lane));                // = 0
  PUT(__activemask());                                        // = 0xFFFFFFFF
  if (lane < 8) {
    const unsigned few = 0xFFu;
    PUT(__shfl_sync(few, lane, 6));                           // = 6
    PUT(__reduce_add_sync(few, 1));                           // = 8
    __syncwarp(few);
  }
  __syncwarp();
}

__global__ void blocks(double* out) {
  __shared__ int counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  PUT(__syncthreads_count(threadIdx.x < 40));                 // = 40
  PUT(__syncthreads_and(threadIdx.x < 64) != 0);              // = 1
  PUT(__syncthreads_or(threadIdx.x == 63) != 0);              // = 1
  atomicAdd(&counts[threadIdx.x % 4], 1);
  __threadfence_block();
  __syncthreads();
  PUT(counts[0] + counts[3]);                                 // = 32
  PUT(__isShared(counts) + 2 * __isGlobal(out) + 4 * __isShared(out));  // = 3
}

__global__ void groups(double* out) {
  __shared__ float buffer[64];
  cg::thread_block block = cg::this_thread_block();
  PUT(block.size() + block.thread_rank() + block.num_threads());  // = 64+5+64
  PUT(block.group_index().x + block.thread_index().x + block.group_dim().x);  // = 69
  auto warp = cg::tiled_partition<32>(block);
  auto four = cg::tiled_partition<4>(warp);
  PUT(four.thread_rank() + 10 * four.meta_group_rank() + 100 * warp.meta_group_size());  // = 211
  PUT(four.shfl(threadIdx.x, 3));                             // = 7
  PUT(four.shfl_down(threadIdx.x, 1));                        // = 6
  PUT(warp.ballot(threadIdx.x == 6));                         // = 64
  PUT(four.ballot(threadIdx.x == 6));                         // = 4
  PUT(four.any(threadIdx.x == 6) + 2 * four.all(threadIdx.x == 6));  // = 1
  PUT(warp.match_any(threadIdx.x / 4));                       // = 0xF0
  PUT(cg::reduce(warp, (int)threadIdx.x % 32, cg::plus<int>()));  // = 496
  PUT(cg::reduce(four, (float)threadIdx.x, cg::greater<float>()));  // = 7
  PUT(cg::reduce(four, threadIdx.x, cg::less<unsigned>()));   // = 4
  PUT(cg::inclusive_scan(four, (int)threadIdx.x, cg::plus<int>()));  // = 9
  PUT(cg::exclusive_scan(four, (int)threadIdx.x, cg::plus<int>()));  // = 4
  PUT(four.shfl(make_float4(threadIdx.x, 1, 2, 3), 2).x);     // = 6
  auto labelled = cg::labeled_partition(warp, (int)threadIdx.x % 3);
  PUT(labelled.size() + 100 * labelled.thread_rank() + 1000 * labelled.meta_group_rank());  // = 2110
  if (threadIdx.x % 2) {
    cg::coalesced_group active = cg::coalesced_threads();
    PUT(active.size() + 100 * active.thread_rank());          // = 216
    PUT(active.shfl(threadIdx.x, 0));                         // = 1
    PUT(cg::reduce(active, 1, cg::plus<int>()));              // = 16
  }
  cg::sync(block);
  cg::thread_group general = cg::tiled_partition(block, 16);
  PUT(general.size() + 100 * general.thread_rank());          // = 516
  general.sync();
  cg::thread_group whole = block;
  whole.sync();
  PUT(whole.size());                                          // = 64
  auto grid = cg::this_grid();
  PUT(grid.thread_rank() + grid.size() + grid.num_blocks());  // = 5+64+1
  const double* from = out + 1100;
  cg::memcpy_async(block, (double*)buffer, from, 16 * sizeof(double));
  cg::wait(block);
  PUT(((double*)buffer)[7]);                                  // = -12345
}

void run_shuffles(long long out) { shuffles<<<1, 64>>>((double*)out); }
void run_blocks(long long out) { blocks<<<1, 64>>>((double*)out); }
void run_groups(long long out) { groups<<<1, 64>>>((double*)out); }
