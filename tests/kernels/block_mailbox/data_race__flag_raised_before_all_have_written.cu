// Kernel: a producing block hands rows of numbers to a consuming block through one slot and a volatile flag.
// Fault: thread 0 speaks for a warp that is perhaps not ready.
// On a GPU: wrong values or may pass
// Also: uninitialised_read
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int WIDTH = 64;

__global__ void hand_over(const float* in, float* slot, volatile int* turn, float* out, int rows) {
    const int tid = threadIdx.x;
    for (int row = 0; row < rows; ++row) {
        if (blockIdx.x == 0) {
            if (tid == 0) {
                while (*turn != 2 * row) {
                }
                __threadfence();
            }
            __syncthreads();  // the slot is empty
            slot[tid] = in[row * WIDTH + tid];
            __threadfence();
            if (tid == 0) *turn = 2 * row + 1;
        } else {
            if (tid == 0) {
                while (*turn != 2 * row + 1) {
                }
                __threadfence();
            }
            __syncthreads();  // the slot is full
            out[row * WIDTH + tid] = slot[WIDTH - 1 - tid];
            __threadfence();
            __syncthreads();  // the whole row is taken
            if (tid == 0) *turn = 2 * row + 2;
        }
    }
}

torch::Tensor run(torch::Tensor x) {
    auto out = torch::empty_like(x);
    auto slot = torch::empty({WIDTH}, x.options());
    auto turn = torch::zeros({1}, x.options().dtype(torch::kInt));
    hand_over<<<2, WIDTH, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), slot.data_ptr<float>(),
                                                                 turn.data_ptr<int>(), out.data_ptr<float>(),
                                                                 static_cast<int>(x.size(0)));
    return out;
}
