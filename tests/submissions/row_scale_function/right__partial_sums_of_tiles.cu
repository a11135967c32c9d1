// Reason: a row is shared by several blocks, whose partial sums a second kernel adds; C++ registers the function.
#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kTile = 256;

template <typename T>
__global__ void multiply(const T* x, const T* s, T* out, int rows, int cols) {
    int col = blockIdx.x * kTile + threadIdx.x;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        if (col < cols) out[int64_t(row) * cols + col] = x[int64_t(row) * cols + col] * s[row];
    }
}

template <typename T>
__global__ void partial_dots(const T* a, const T* b, T* partial, int rows, int cols) {
    __shared__ T tile[kTile];
    int col = blockIdx.x * kTile + threadIdx.x;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        int64_t at = int64_t(row) * cols + col;
        tile[threadIdx.x] = col < cols ? a[at] * b[at] : T(0);
        for (int half = kTile / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        }
        if (threadIdx.x == 0) partial[int64_t(row) * gridDim.x + blockIdx.x] = tile[0];
        __syncthreads();
    }
}

template <typename T>
__global__ void add_partials(const T* partial, T* out, int rows, int tiles) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    T sum = 0;
    for (int tile = 0; tile < tiles; ++tile) sum += partial[int64_t(row) * tiles + tile];
    out[row] = sum;
}

static dim3 grid(int rows, int cols) { return dim3((cols + kTile - 1) / kTile, std::min(rows, 4096)); }

static torch::Tensor scaled(torch::Tensor x, torch::Tensor s) {
    x = x.contiguous();
    s = s.contiguous();
    auto out = torch::empty_like(x);
    int rows = x.size(0), cols = x.size(1);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale", [&] {
        multiply<scalar_t><<<grid(rows, cols), kTile, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), s.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), rows, cols);
    });
    AT_CUDA_CHECK(cudaGetLastError());
    return out;
}

static torch::Tensor dots(torch::Tensor a, torch::Tensor b) {
    a = a.contiguous();
    b = b.contiguous();
    int rows = a.size(0), cols = a.size(1);
    dim3 blocks = grid(rows, cols);
    auto partial = torch::empty({rows, int64_t(blocks.x)}, a.options());
    auto out = torch::empty({rows}, a.options());
    auto stream = at::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "row_scale_backward", [&] {
        partial_dots<scalar_t><<<blocks, kTile, 0, stream>>>(
            a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), partial.data_ptr<scalar_t>(), rows, cols);
        add_partials<scalar_t><<<(rows + 127) / 128, 128, 0, stream>>>(
            partial.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), rows, blocks.x);
    });
    AT_CUDA_CHECK(cudaGetLastError());
    return out;
}

struct RowScale : public torch::autograd::Function<RowScale> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x, torch::Tensor s) {
        ctx->save_for_backward({x, s});
        return scaled(x, s);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        auto saved = ctx->get_saved_variables();
        torch::Tensor for_x, for_s;
        if (ctx->needs_input_grad(0)) for_x = scaled(grads[0], saved[1]);
        if (ctx->needs_input_grad(1)) for_s = dots(grads[0], saved[0]);
        return {for_x, for_s};
    }
};

torch::Tensor row_scale(torch::Tensor x, torch::Tensor s) {
    TORCH_CHECK(x.is_cuda() && s.is_cuda(), "x and s must be CUDA tensors");
    TORCH_CHECK(x.dim() == 2 && s.dim() == 1 && x.size(0) == s.size(0), "x must be [n, m] and s [n]");
    TORCH_CHECK(x.is_floating_point() && x.scalar_type() == s.scalar_type(), "x and s must be of one float type");
    return RowScale::apply(x, s);
}
