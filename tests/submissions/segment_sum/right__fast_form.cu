// Reason: the fast form: 16 bytes a load where columns allow it, four rows under way in each thread.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

constexpr int kThreads = 256;

template <int N>
struct alignas(4 * N) Vector {
    float at[N];
    __device__ void add(const Vector& other) {
#pragma unroll
        for (int j = 0; j < N; ++j) {
            at[j] += other.at[j];
        }
    }
};

// A block adds up one segment in blockDim.x vectors of columns; blockDim.y lanes share the segment's rows.
template <int N>
__global__ void __launch_bounds__(kThreads)
    sum_kernel(const float* values, const int64_t* offsets, float* out, int64_t across) {
    using V = Vector<N>;
    __shared__ V sums[kThreads];
    const int64_t column = int64_t(blockIdx.y) * blockDim.x + threadIdx.x, lanes = blockDim.y;
    const V* rows = reinterpret_cast<const V*>(values) + column;
    V mine = {};
    if (column < across) {
        int64_t row = offsets[blockIdx.x] + threadIdx.y;
        const int64_t end = offsets[blockIdx.x + 1];
        for (; row + 3 * lanes < end; row += 4 * lanes) {
            V v[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                v[k] = rows[(row + k * lanes) * across];
            }
            v[0].add(v[1]);
            v[2].add(v[3]);
            v[0].add(v[2]);
            mine.add(v[0]);
        }
        for (; row < end; row += lanes) {
            mine.add(rows[row * across]);
        }
    }
    sums[threadIdx.y * blockDim.x + threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.y == 0 && column < across) {
        for (int lane = 1; lane < lanes; ++lane) {
            mine.add(sums[lane * blockDim.x + threadIdx.x]);
        }
        reinterpret_cast<V*>(out)[blockIdx.x * across + column] = mine;
    }
}

static bool aligned(const torch::Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 16 == 0; }

torch::Tensor segment_sum(torch::Tensor values, torch::Tensor offsets) {
    TORCH_CHECK(values.is_cuda(), "segment_sum: values must be on the device");
    TORCH_CHECK(offsets.is_cuda(), "segment_sum: offsets must be on the device");
    TORCH_CHECK(values.scalar_type() == torch::kFloat, "segment_sum: values must be float32");
    TORCH_CHECK(offsets.scalar_type() == torch::kLong, "segment_sum: offsets must be int64");
    TORCH_CHECK(values.dim() == 2, "segment_sum: values must have two dimensions");
    TORCH_CHECK(offsets.dim() == 1, "segment_sum: offsets must have one dimension");
    const c10::cuda::CUDAGuard guard(values.device());
    values = values.contiguous();
    offsets = offsets.contiguous();
    const int64_t segments = offsets.numel() - 1, d = values.size(1);
    auto out = torch::empty({segments, d}, values.options());
    const bool vectors = d % 4 == 0 && aligned(values) && aligned(out);
    const int64_t across = vectors ? d / 4 : d;
    int wide = 1;
    while (wide < 32 && wide < across) {
        wide *= 2;
    }
    const dim3 blocks(segments, (across + wide - 1) / wide), threads(wide, kThreads / wide);
    auto kernel = vectors ? sum_kernel<4> : sum_kernel<1>;
    kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        values.data_ptr<float>(), offsets.data_ptr<int64_t>(), out.data_ptr<float>(), across);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
