// Reason: a stream guard makes a pool stream current; raw events order it after and before the stream of the caller.
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

namespace {

class Edge {
public:
    Edge() { C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~Edge() { cudaEventDestroy(event_); }
    Edge(const Edge&) = delete;
    Edge& operator=(const Edge&) = delete;
    void order(cudaStream_t before, cudaStream_t after) {
        C10_CUDA_CHECK(cudaEventRecord(event_, before));
        C10_CUDA_CHECK(cudaStreamWaitEvent(after, event_, 0));
    }

private:
    cudaEvent_t event_ = nullptr;
};

__global__ void scale(float* values, const float factor, const int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        values[i] *= factor;
    }
}

}  // namespace

torch::Tensor side_stream_scale(torch::Tensor x, double alpha) {
    TORCH_CHECK(x.is_cuda(), "side_stream_scale: x is not on a CUDA device");
    TORCH_CHECK_TYPE(x.dtype() == torch::kFloat32, "side_stream_scale: x is not float32");
    auto values = x.clone(torch::MemoryFormat::Contiguous);
    if (values.numel() == 0) return values;
    const auto caller = c10::cuda::getCurrentCUDAStream();
    const auto side = c10::cuda::getStreamFromPool();
    Edge().order(caller, side);
    {
        c10::cuda::CUDAStreamGuard guard(side);
        scale<<<4, 64, 0, c10::cuda::getCurrentCUDAStream()>>>(values.data_ptr<float>(), float(alpha),
                                                               int(values.numel()));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    Edge().order(side, caller);
    return values;
}
