// Kernels for data_race: each ordered form beside the same without what orders it.
#include <cuda_runtime.h>

#include <map>
#include <string>
#include <vector>

#include "engine_cases.h"
#include "front_end.h"

template <class T>
static T* filled(int n, T value = 1) {
  std::vector<T> host(n, value);
  return static_cast<T*>(device_copy(host.data(), n * sizeof(T)));
}
static float* fresh(int n) { return static_cast<float*>(device_empty(n * sizeof(float))); }

__global__ void neighbour(float* out, bool meet) { KERNEL(neighbour, ARGS(ARG(out))) {
  SHARED(float, tile, [256]);
  const int t = threadIdx.x;
  tile[t] = t;  // FAULT neighbour_write
  if (meet) __syncthreads();
  out[blockIdx.x * blockDim.x + t] = tile[(t + 1) % blockDim.x];  // FAULT neighbour_read
}); }

__global__ void shift(float* a, bool meet) { KERNEL(shift, ARGS(ARG(a))) {
  const int t = threadIdx.x;
  const float v = a[t + 1];  // FAULT shift_read
  if (meet) __syncthreads();
  a[t] = v;  // FAULT shift_write
}); }

__global__ void tree(const float* a, float* out, bool meet) { KERNEL(tree, ARGS(ARG(a), ARG(out))) {
  SHARED(float, part, [256]);
  const int t = threadIdx.x;
  part[t] = a[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];  // FAULT tree
    if (meet) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}); }

__global__ void warp_tree(const float* a, float* out, bool meet) { KERNEL(warp_tree, ARGS(ARG(a), ARG(out))) {
  SHARED(float, memory, [64]);
  volatile float* const part = memory;
  const int t = threadIdx.x;
  part[t] = a[t];            // FAULT warp_tree_first
  part[t + 32] = a[t + 32];  // FAULT warp_tree_second
  if (meet) __syncwarp();
  for (int s = 32; s > 0; s /= 2) {
    const float v = t < s ? part[t + s] : 0;  // FAULT warp_tree
    if (meet) __syncwarp();
    if (t < s) part[t] = part[t] + v;  // FAULT warp_tree_write
    if (meet) __syncwarp();
  }
  if (t == 0) out[0] = part[0];
}); }

// The end of a textbook reduction: the last warp folds on, trusting volatile.
__global__ void unrolled(const float* a, float* out, bool meet) { KERNEL(unrolled, ARGS(ARG(a), ARG(out))) {
  SHARED(float, part, [256]);
  const int t = threadIdx.x;
  part[t] = a[t];
  __syncthreads();
  for (int half = 128; half > 32; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < 32) {
    volatile float* const lanes = part;
    lanes[t] += lanes[t + 32];  // FAULT unrolled_first
    if (meet) __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
      const float v = lanes[t] + (t < d ? lanes[t + d] : 0);  // FAULT unrolled_read
      if (meet) __syncwarp();
      lanes[t] = v;  // FAULT unrolled_write
      if (meet) __syncwarp();
    }
  }
  if (t == 0) out[0] = part[0];
}); }

__global__ void half_warps(float* out, bool right) { KERNEL(half_warps, ARGS(ARG(out))) {
  SHARED(float, part, [32]);
  const int t = threadIdx.x;
  const unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;
  part[t] = t;  // FAULT half_warps_write
  __syncwarp(mask);
  out[t] = part[right ? t ^ 15 : 31 - t];  // FAULT half_warps
}); }

__global__ void shuffled(float* out, bool meet) { KERNEL(shuffled, ARGS(ARG(out))) {
  SHARED(float, part, [32]);
  const int t = threadIdx.x;
  part[t] = t;  // FAULT shuffled_write
  const float v = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
  if (meet) __syncwarp();
  out[t] = part[t ^ 1] + v;  // FAULT shuffled
}); }

__global__ void total(float* out, bool atomic) { KERNEL(total, ARGS(ARG(out))) {
  if (atomic) atomicAdd(out, 1.0f);
  else *out += 1;  // FAULT total
}); }

__global__ void raise(int* flag, int apart) { KERNEL(raise, ARGS(ARG(flag))) {
  *flag = apart ? static_cast<int>(threadIdx.x) : 1;  // FAULT raise
}); }

__global__ void bytes(unsigned char* out, int step) { KERNEL(bytes, ARGS(ARG(out), ARG(step))) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i / step] = i;  // FAULT bytes
}); }

// Small elements that are read and written round after round.
template <class T>
__global__ void rounds(T* a, bool meet) { KERNEL(rounds, ARGS(ARG(a))) {
  const int t = threadIdx.x;
  for (int round = 0; round < 100; ++round) {
    const T v = a[(t + 1) % blockDim.x];  // FAULT rounds_read
    __syncthreads();
    a[t] = v;  // FAULT rounds_write
    if (meet) __syncthreads();
  }
}); }

// Neighbouring bytes belong to different blocks, more than share a table of events.
__global__ void columns(unsigned char* a, bool own) { KERNEL(columns, ARGS(ARG(a))) {
  unsigned char* const row = a + threadIdx.x * gridDim.x;
  const unsigned char v = row[own ? blockIdx.x : (blockIdx.x + 1) % gridDim.x];  // FAULT columns_read
  row[blockIdx.x] = v + 1;  // FAULT columns_write
}); }

__global__ void words_and_bytes(unsigned* words, unsigned char* bytes, bool apart) { KERNEL(words_and_bytes, ARGS(ARG(words), ARG(bytes))) {
  if (threadIdx.x == 0) words[0] = 7;  // FAULT words_and_bytes_first
  if (threadIdx.x == 1) bytes[apart ? 4 : 3] = 1;  // FAULT words_and_bytes
}); }

__global__ void vectors(float4* a, float* b, bool meet) { KERNEL(vectors, ARGS(ARG(a), ARG(b))) {
  a[threadIdx.x] = float4{1, 2, 3, 4};
  if (meet) __syncthreads();
  b[threadIdx.x] = b[4 * blockDim.x - 1 - threadIdx.x] + 1;  // FAULT vectors
}); }

__global__ void between_blocks(float* a, bool apart) { KERNEL(between_blocks, ARGS(ARG(a))) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i + (apart ? 0 : 1)];  // FAULT between_blocks_read
  __syncthreads();
  a[i] = v + 1;  // FAULT between_blocks_write
}); }

__global__ void bins(const int* keys, int* out, bool meet) { KERNEL(bins, ARGS(ARG(keys), ARG(out))) {
  SHARED(int, count, [32]);
  const int t = threadIdx.x;
  if (t < 32) count[t] = 0;
  __syncthreads();
  atomicAdd(&count[keys[t]], 1);  // FAULT bins_add
  if (meet) __syncthreads();
  if (t < 32) out[blockIdx.x * 32 + t] = count[t];  // FAULT bins
}); }

__global__ void read_total(int* sum, float* out) { KERNEL(read_total, ARGS(ARG(sum), ARG(out))) {
  atomicAdd(sum, 1);  // FAULT read_total_add
  if (threadIdx.x == 0) out[blockIdx.x] = *sum;  // FAULT read_total
}); }

// The last block done adds up what the others left.
__global__ void last_block(const float* a, float* parts, unsigned* done, float* out, bool fence) { KERNEL(last_block, ARGS(ARG(a), ARG(parts), ARG(done), ARG(out))) {
  SHARED(float, part, [64]);
  SHARED(bool, last, [1]);
  const int t = threadIdx.x;
  part[t] = a[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = part[0];  // FAULT last_block_write
    if (fence) __threadfence();
    last[0] = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last[0]) {
    float v = 0;
    for (unsigned i = t; i < gridDim.x; i += blockDim.x) v += parts[i];  // FAULT last_block
    part[t] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
      if (t < s) part[t] += part[t + s];
      __syncthreads();
    }
    if (t == 0) {
      *out = part[0];
      *done = 0;
    }
  }
}); }

// The same where every thread writes and fences, and one takes the ticket after a barrier.
__global__ void all_fence(float* parts, int* done, float* out) { KERNEL(all_fence, ARGS(ARG(parts), ARG(done), ARG(out))) {
  SHARED(int, ticket, [1]);
  parts[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) ticket[0] = atomicAdd(done, 1);
  __syncthreads();
  if (ticket[0] == static_cast<int>(gridDim.x) - 1) {
    float v = 0;
    for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i) v += parts[i];
    if (threadIdx.x == 0) *out = v;
  }
}); }

// Decoupled look-back: a block publishes its sum, then its prefix; the next ones look back until they find one.
__global__ void look_back(const float* a, volatile int* state, float* sums, float* prefixes, float* out, int* tickets, bool fence, bool by_atomics) { KERNEL(look_back, ARGS(ARG(a), ARG(state), ARG(sums), ARG(prefixes), ARG(out))) {
  SHARED(float, before, [1]);
  SHARED(int, mine, [1]);
  if (threadIdx.x == 0) mine[0] = atomicAdd(tickets, 1);
  __syncthreads();
  const int b = mine[0];
  if (threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) sum += a[b * blockDim.x + i];
    sums[b] = sum;
    __threadfence();
    if (by_atomics) atomicExch(const_cast<int*>(&state[b]), 1);
    else state[b] = 1;
    float prefix = 0;
    for (int p = b - 1; p >= 0; --p) {
      int seen;
      do seen = by_atomics ? atomicAdd(const_cast<int*>(&state[p]), 0) : state[p];
      while (seen == 0);
      if (fence) __threadfence();
      if (seen == 2) {
        prefix += prefixes[p];  // FAULT look_back
        break;
      }
      prefix += sums[p];
    }
    prefixes[b] = prefix + sum;  // FAULT look_back_write
    __threadfence();
    if (by_atomics) atomicExch(const_cast<int*>(&state[b]), 2);
    else state[b] = 2;
    before[0] = prefix;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[b] = before[0];
}); }

// Every block adds to a plain variable under a lock.
__global__ void locked(int* lock, float* sum, bool acquire) { KERNEL(locked, ARGS(ARG(lock), ARG(sum))) {
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  if (acquire) __threadfence();
  *sum += 1;  // FAULT locked
  __threadfence();
  atomicExch(lock, 0);
}); }

// One warp makes, another takes, through a flag in shared memory.
__global__ void producer(float* out, bool fence) { KERNEL(producer, ARGS(ARG(out))) {
  SHARED(float, box, [32]);
  SHARED(int, flag, [1]);
  volatile int* const full = flag;
  if (threadIdx.x == 0) flag[0] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    box[lane] = lane;  // FAULT producer_write
    __syncwarp();
    if (fence) __threadfence_block();
    if (lane == 0) *full = 1;
  } else {
    while (*full == 0) {}
    __threadfence_block();
    out[blockIdx.x * 32 + lane] = box[31 - lane];  // FAULT producer
  }
}); }

// One block fills a slot again and again, another empties it; `wait`: only when it is empty.
__global__ void mailbox(float* slot, volatile int* turn, float* out, bool wait) { KERNEL(mailbox, ARGS(ARG(slot), ARG(turn), ARG(out), ARG(wait))) {
  for (int row = 0; row < 3; ++row) {
    if (blockIdx.x == 0) {
      if (threadIdx.x == 0) {
        while (wait && *turn != 2 * row) {}
        __threadfence();
      }
      __syncthreads();
      slot[threadIdx.x] = row;  // FAULT mailbox_write
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) *turn = 2 * row + 1;
    } else {
      if (threadIdx.x == 0) {
        while (wait ? *turn != 2 * row + 1 : *turn < 1) {}
        __threadfence();
      }
      __syncthreads();
      out[row * blockDim.x + threadIdx.x] = slot[blockDim.x - 1 - threadIdx.x];  // FAULT mailbox_read
      __threadfence();
      __syncthreads();
      if (wait && threadIdx.x == 0) *turn = 2 * row + 2;
    }
  }
}); }

// Thread 0 clears a counter and is the first to add to it.
__global__ void cleared(int* out, bool meet) { KERNEL(cleared, ARGS(ARG(out))) {
  SHARED(int, own, [1]);
  if (threadIdx.x == 0) own[0] = 0;  // FAULT cleared_write
  if (meet) __syncthreads();
  atomicAdd(own, 1);  // FAULT cleared
  __syncthreads();
  if (threadIdx.x == 0) *out = own[0];
}); }

// A block-wide fence is none between blocks.
__global__ void narrow_fence(float* a, int* flag, float* out, bool wide) { KERNEL(narrow_fence, ARGS(ARG(a), ARG(flag), ARG(out))) {
  if (blockIdx.x == 1) {
    *a = 5;  // FAULT narrow_fence_write
    if (wide) __threadfence(); else __threadfence_block();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    *out = *a;  // FAULT narrow_fence
  }
}); }

// An atomic maximum of floats, as the programming guide writes those that CUDA lacks.
__global__ void own_maximum(float* out) { KERNEL(own_maximum, ARGS(ARG(out))) {
  const float v = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* const bits = reinterpret_cast<unsigned*>(out);
  unsigned old = *bits, assumed;
  do {
    assumed = old;
    float now;
    __builtin_memcpy(&now, &assumed, 4);
    if (now >= v) now = v > now ? v : now;
    else now = v;
    unsigned next;
    __builtin_memcpy(&next, &now, 4);
    old = atomicCAS(bits, assumed, next);
  } while (old != assumed);
}); }

__global__ void add(const float* a, float* out, int n) { KERNEL(add, ARGS(ARG(a), ARG(out), ARG(n))) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + a[i / 2];
}); }

static void look_back_case(bool fence, bool by_atomics) {
  const int blocks = 40;
  (LAUNCH(blocks, 32), look_back(filled<float>(blocks * 32), filled<int>(blocks, 0), fresh(blocks), fresh(blocks), keep_floats(fresh(blocks), blocks), filled<int>(1, 0), fence, by_atomics));
}
static void last_block_case(bool fence) {
  unsigned* const done = filled<unsigned>(1, 0);
  float *a = filled<float>(37 * 64), *parts = fresh(37), *out = keep_floats(fresh(2), 2);
  (LAUNCH(37, 64), last_block(a, parts, done, out, fence));
  (LAUNCH(37, 64), last_block(a, parts, done, out + 1, fence));
}

static const std::map<std::string, void (*)()> cases = {
    {"neighbour", [] { (LAUNCH(3, 256), neighbour(fresh(768), true)); }},
    {"neighbour_without", [] { (LAUNCH(1, 256), neighbour(fresh(256), false)); }},
    {"shift", [] { (LAUNCH(1, 64), shift(filled<float>(65), true)); }},
    {"shift_without", [] { (LAUNCH(1, 64), shift(filled<float>(65), false)); }},
    {"tree", [] { (LAUNCH(3, 256), tree(filled<float>(768), keep_floats(fresh(3), 3), true)); }},
    {"tree_without", [] { (LAUNCH(1, 256), tree(filled<float>(256), fresh(1), false)); }},
    {"warp_tree", [] { (LAUNCH(1, 32), warp_tree(filled<float>(64), keep_floats(fresh(1), 1), true)); }},
    {"warp_tree_without", [] { (LAUNCH(1, 32), warp_tree(filled<float>(64), fresh(1), false)); }},
    {"unrolled", [] { (LAUNCH(1, 256), unrolled(filled<float>(256), keep_floats(fresh(1), 1), true)); }},
    {"unrolled_without", [] { (LAUNCH(1, 256), unrolled(filled<float>(256), fresh(1), false)); }},
    {"half_warps", [] { (LAUNCH(1, 32), half_warps(fresh(32), true)); }},
    {"half_warps_crossed", [] { (LAUNCH(1, 32), half_warps(fresh(32), false)); }},
    {"shuffled", [] { (LAUNCH(1, 32), shuffled(fresh(32), true)); }},
    {"shuffled_without", [] { (LAUNCH(1, 32), shuffled(fresh(32), false)); }},
    {"total", [] { (LAUNCH(2, 64), total(filled<float>(1), true)); }},
    {"total_plain", [] { (LAUNCH(2, 64), total(filled<float>(1), false)); }},
    {"raise_alike", [] { (LAUNCH(2, 64), raise(filled<int>(1), 0)); }},
    {"raise_apart", [] { (LAUNCH(2, 64), raise(filled<int>(1), 1)); }},
    {"bytes", [] { (LAUNCH(2, 64), bytes(filled<unsigned char>(128), 1)); }},
    {"bytes_shared", [] { (LAUNCH(2, 64), bytes(filled<unsigned char>(128), 2)); }},
    {"rounds", [] { (LAUNCH(1, 96), rounds(filled<unsigned char>(96), true)); }},
    {"rounds_without", [] { (LAUNCH(1, 96), rounds(filled<unsigned char>(96), false)); }},
    {"rounds_of_halves", [] { (LAUNCH(1, 96), rounds(filled<unsigned short>(96), true)); }},
    {"rounds_of_halves_without", [] { (LAUNCH(1, 96), rounds(filled<unsigned short>(96), false)); }},
    {"columns", [] { (LAUNCH(320, 4), columns(filled<unsigned char>(1280), true)); }},
    {"columns_shared", [] { (LAUNCH(320, 4), columns(filled<unsigned char>(1280), false)); }},
    {"words_and_bytes", [] { auto* p = filled<unsigned>(2); (LAUNCH(1, 2), words_and_bytes(p, reinterpret_cast<unsigned char*>(p), true)); }},
    {"words_and_bytes_shared", [] { auto* p = filled<unsigned>(2); (LAUNCH(1, 2), words_and_bytes(p, reinterpret_cast<unsigned char*>(p), false)); }},
    {"vectors", [] { float* p = filled<float>(128); (LAUNCH(1, 8), vectors(reinterpret_cast<float4*>(p), p, true)); }},
    {"vectors_without", [] { float* p = filled<float>(128); (LAUNCH(1, 8), vectors(reinterpret_cast<float4*>(p), p, false)); }},
    {"between_blocks", [] { (LAUNCH(4, 32), between_blocks(filled<float>(129), true)); }},
    {"between_blocks_shared", [] { (LAUNCH(4, 32), between_blocks(filled<float>(129), false)); }},
    {"bins", [] {
       std::vector<int> keys(128);
       for (int i = 0; i < 128; ++i) keys[i] = i * 7 % 32;
       (LAUNCH(2, 128), bins(static_cast<int*>(device_copy(keys.data(), 512)), filled<int>(64), true));
     }},
    {"bins_without", [] {
       std::vector<int> keys(128);
       for (int i = 0; i < 128; ++i) keys[i] = i * 7 % 32;
       (LAUNCH(1, 128), bins(static_cast<int*>(device_copy(keys.data(), 512)), filled<int>(32), false));
     }},
    {"read_total", [] { (LAUNCH(4, 1), read_total(filled<int>(1), fresh(4))); }},
    {"last_block", [] { last_block_case(true); }},
    {"last_block_without", [] { last_block_case(false); }},
    {"all_fence", [] { (LAUNCH(5, 32), all_fence(fresh(160), filled<int>(1, 0), keep_floats(fresh(1), 1))); }},
    {"look_back", [] { look_back_case(true, false); }},
    {"look_back_atomics", [] { look_back_case(true, true); }},
    {"look_back_without", [] { look_back_case(false, false); }},
    {"locked", [] { (LAUNCH(40, 32), locked(filled<int>(1, 0), keep_floats(filled<float>(1, 0), 1), true)); }},
    {"locked_without", [] { (LAUNCH(40, 32), locked(filled<int>(1, 0), filled<float>(1, 0), false)); }},
    {"producer", [] { (LAUNCH(2, 64), producer(fresh(64), true)); }},
    {"producer_without", [] { (LAUNCH(2, 64), producer(fresh(64), false)); }},
    {"mailbox", [] { (LAUNCH(2, 64), mailbox(fresh(64), filled<int>(1, 0), keep_floats(fresh(192), 192), true)); }},
    {"mailbox_without", [] { (LAUNCH(2, 64), mailbox(fresh(64), filled<int>(1, 0), fresh(192), false)); }},
    {"cleared", [] { (LAUNCH(1, 64), cleared(filled<int>(1), true)); }},
    {"cleared_without", [] { (LAUNCH(1, 64), cleared(filled<int>(1), false)); }},
    {"wide_fence", [] { (LAUNCH(2, 1), narrow_fence(fresh(1), filled<int>(1, 0), fresh(1), true)); }},
    {"narrow_fence", [] { (LAUNCH(2, 1), narrow_fence(fresh(1), filled<int>(1, 0), fresh(1), false)); }},
    {"own_maximum", [] { (LAUNCH(4, 128), own_maximum(keep_floats(filled<float>(1, 0), 1))); }},
    {"two_kernels", [] { float *a = filled<float>(300), *b = fresh(300); (LAUNCH(3, 64), add(a, b, 300)); (LAUNCH(2, 64), add(b, a, 300)); }},
};

bool run_case(const char* name) {
  const auto it = cases.find(name);
  if (it == cases.end()) return false;
  it->second();
  return true;
}
