// Kernel: layer norm of rows; Welford's moments merged by shuffles, then between four warps; two rows a block.
// Fault: means of unequal counts are averaged as if they were equal.
// On a GPU: wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

struct Moments {
    float count, mean, squares;
};

__device__ Moments merged(Moments a, Moments b) {
    const float count = a.count + b.count;
    if (count == 0.f) return a;
    const float delta = b.mean - a.mean;
    return {count, a.mean + delta * 0.5f, a.squares + b.squares + delta * delta * (a.count * b.count / count)};
}

__global__ void layer_norm(const float* in, float* out, int rows, int columns) {
    __shared__ Moments warps[4];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* from = in + row * columns;
        Moments own{0.f, 0.f, 0.f};
        for (int j = threadIdx.x; j < columns; j += 128) own = merged(own, {1.f, from[j], 0.f});
        for (int half = 16; half > 0; half /= 2) {
            const Moments other{__shfl_xor_sync(0xffffffffu, own.count, half), __shfl_xor_sync(0xffffffffu, own.mean, half),
                                __shfl_xor_sync(0xffffffffu, own.squares, half)};
            own = merged(own, other);
        }
        if (lane == 0) warps[warp] = own;
        __syncthreads();  // all moments are there
        own = warps[0];
        for (int w = 1; w < 4; ++w) {
            const Moments other = warps[w];
            own = merged(own, other);
        }
        const float scale = rsqrtf(own.squares / own.count + 1e-5f);
        for (int j = threadIdx.x; j < columns; j += 128) out[row * columns + j] = (from[j] - own.mean) * scale;
        __syncthreads();  // before the next row writes its moments
    }
}

torch::Tensor run(torch::Tensor x) {
    const int rows = x.size(0), columns = x.size(1);
    auto out = torch::empty_like(x);
    layer_norm<<<(rows + 1) / 2, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                             rows, columns);
    return out;
}
