// Kernel: division of each row by its root mean square; a warp takes a row, a block four.
// Fault: a row of 70 floats does not end where a float4 may begin.
// On a GPU: an error or compute-sanitizer memcheck
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void rms_norm(const float* in, float* out, int rows, int columns) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;  // a whole warp
    const float* from = in + row * columns;
    float squares = 0.f;
    for (int j = lane; j < columns / 4; j += 32) {
        const float4 v = reinterpret_cast<const float4*>(from)[j];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int j = columns / 4 * 4 + lane; j < columns; j += 32) squares += from[j] * from[j];
    for (int half = 16; half > 0; half /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, half);
    const float scale = rsqrtf(squares / columns + 1e-6f);
    for (int j = lane; j < columns; j += 32) out[row * columns + j] = from[j] * scale;
}

torch::Tensor run(torch::Tensor x) {
    const int rows = x.size(0), columns = x.size(1);
    auto out = torch::empty_like(x);
    rms_norm<<<(rows + 3) / 4, dim3(32, 4), 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                                                   out.data_ptr<float>(), rows, columns);
    return out;
}
