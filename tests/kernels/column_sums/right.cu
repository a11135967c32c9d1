// Kernel: sums of the columns by blocks of 32 x 8 that stride over the rows, folded in shared memory.
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void sums(const float* in, float* out, int rows, int columns) {
    __shared__ float part[8][33];
    const int x = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.f;
    if (x < columns) {
        for (int y = threadIdx.y; y < rows; y += 8) sum += in[y * columns + x];
    }
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (threadIdx.y < half) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + half][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0 && x < columns) out[x] = part[0][threadIdx.x];
}

torch::Tensor run(torch::Tensor x) {
    const int rows = x.size(0), columns = x.size(1);
    auto out = torch::empty({columns}, x.options());
    sums<<<(columns + 31) / 32, dim3(32, 8), 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(),
                                                                                    out.data_ptr<float>(), rows, columns);
    return out;
}
