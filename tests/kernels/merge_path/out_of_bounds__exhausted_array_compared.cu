// Kernel: two sorted arrays merged; each thread finds its diagonal by bisection and merges five elements.
// Fault: the heads are compared although one array has come to its end.
// On a GPU: compute-sanitizer memcheck or wrong values
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int EACH = 5;

__global__ void merge(const int* a, const int* b, int* out, int na, int nb) {
    const int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (diagonal >= na + nb) return;
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int i = low, j = diagonal - low;
    for (int k = diagonal; k < min(diagonal + EACH, na + nb); ++k) {
        const bool from_a = a[i] <= b[j];
        out[k] = from_a ? a[i++] : b[j++];
    }
}

torch::Tensor run(torch::Tensor a, torch::Tensor b) {
    const int na = a.numel(), nb = b.numel();
    auto out = torch::empty({na + nb}, a.options());
    const int threads = (na + nb + EACH - 1) / EACH;
    merge<<<(threads + 63) / 64, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(a.data_ptr<int>(), b.data_ptr<int>(),
                                                                            out.data_ptr<int>(), na, nb);
    return out;
}
