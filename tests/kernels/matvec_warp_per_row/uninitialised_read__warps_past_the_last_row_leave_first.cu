// Kernel: matrix times vector; a warp takes a row, the vector waits in shared memory.
// Fault: the warps without a row leave, and their part of the vector stays empty.
// On a GPU: wrong values or may pass
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void matvec(const float* matrix, const float* vector, float* out, int rows, int columns) {
    extern __shared__ float staged[];
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) staged[j] = vector[j];
    __syncthreads();
    float sum = 0.f;
    for (int j = lane; j < columns; j += 32) sum += matrix[row * columns + j] * staged[j];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
    if (lane == 0) out[row] = sum;
}

torch::Tensor run(torch::Tensor matrix, torch::Tensor vector) {
    const int rows = matrix.size(0), columns = matrix.size(1);
    auto out = torch::empty({rows}, matrix.options());
    matvec<<<(rows + 3) / 4, 128, columns * sizeof(float), c10::cuda::getCurrentCUDAStream()>>>(
        matrix.data_ptr<float>(), vector.data_ptr<float>(), out.data_ptr<float>(), rows, columns);
    return out;
}
