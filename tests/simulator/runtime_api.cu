#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Atomic.cuh>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>

__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.f * x[i];
}
__global__ void count(float* total) { gpuAtomicAdd(total, 1.f); }
__constant__ float scale[1];
__global__ void scaled(const float* x, float* y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = scale[0] * x[i];
}

static void launch(const torch::Tensor& x, const torch::Tensor& y, cudaStream_t stream) {
    twice<<<1, 32, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), (int)x.numel());
}

torch::Tensor on_current(torch::Tensor x) {
    auto y = torch::empty_like(x);
    launch(x, y, at::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
torch::Tensor of_dead_temporary(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const float* p = (x + 0).data_ptr<float>();
    twice<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(p, y.data_ptr<float>(), (int)x.numel());
    return y;
}
torch::Tensor unguarded(torch::Tensor x) {
    auto y = torch::empty_like(x);
    launch(x, y, at::cuda::getCurrentCUDAStream(0));
    return y;
}
torch::Tensor on_default(torch::Tensor x) {
    auto y = torch::empty_like(x);
    launch(x, y, 0);
    return y;
}
torch::Tensor forked(torch::Tensor x, bool join) {
    auto y = torch::empty_like(x);
    auto current = c10::cuda::getCurrentCUDAStream();
    auto side = c10::cuda::getStreamFromPool();
    at::cuda::CUDAEvent ready, done;
    ready.record(current);
    ready.block(side);
    launch(x, y, side);
    done.record(side);
    if (join) done.block(current);
    return y;
}
torch::Tensor waited_for(torch::Tensor x) {
    auto y = torch::empty_like(x);
    cudaStream_t side;
    AT_CUDA_CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    AT_CUDA_CHECK(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream()));
    launch(x, y, side);
    AT_CUDA_CHECK(cudaStreamSynchronize(side));
    AT_CUDA_CHECK(cudaStreamDestroy(side));
    return y;
}
torch::Tensor blocking_side(torch::Tensor x) {
    auto y = torch::empty_like(x);
    static cudaStream_t side = nullptr;
    if (!side) cudaStreamCreate(&side);
    launch(x, y, side);
    return y;
}
torch::Tensor copied_as_if_from_the_host(torch::Tensor x) {
    auto y = torch::empty_like(x);
    C10_CUDA_CHECK(cudaMemcpyAsync(y.data_ptr<float>(), x.data_ptr<float>(), x.nbytes(), cudaMemcpyHostToDevice,
                                   c10::cuda::getCurrentCUDAStream()));
    return y;
}

torch::Tensor copied(torch::Tensor x, bool current) {
    auto y = torch::empty_like(x);
    cudaStream_t stream = current ? c10::cuda::getCurrentCUDAStream().stream() : nullptr;
    C10_CUDA_CHECK(cudaMemcpyAsync(y.data_ptr(), x.data_ptr(), x.nbytes(), cudaMemcpyDeviceToDevice, stream));
    return y;
}
torch::Tensor rows(torch::Tensor x, int64_t pitch, int64_t width, int64_t height) {
    auto y = torch::zeros({height, width}, x.options());
    C10_CUDA_CHECK(cudaMemcpy2DAsync(y.data_ptr(), width * 4, x.data_ptr(), pitch * 4, width * 4, height,
                                     cudaMemcpyDeviceToDevice, c10::cuda::getCurrentCUDAStream()));
    return y;
}
torch::Tensor cleared(torch::Tensor x, int64_t bytes) {
    auto y = x.clone();
    C10_CUDA_CHECK(cudaMemsetAsync(y.data_ptr(), 0, bytes, c10::cuda::getCurrentCUDAStream()));
    return y;
}
double from_host(int64_t bytes) {
    double value = 42, back = 0;
    auto y = torch::empty({1}, torch::dtype(torch::kFloat64).device(torch::kCUDA));
    C10_CUDA_CHECK(cudaMemcpy(y.data_ptr(), &value, bytes, cudaMemcpyHostToDevice));
    C10_CUDA_CHECK(cudaMemcpy(&back, y.data_ptr(), bytes, cudaMemcpyDeviceToHost));
    return back;
}
void raw(bool keep) {
    float* p = nullptr;
    C10_CUDA_CHECK(cudaMalloc(&p, 256));
    if (!keep) C10_CUDA_CHECK(cudaFree(p));
}
int64_t free_twice() {
    float* p = nullptr;
    cudaMalloc(&p, 256);
    cudaFree(p);
    int64_t error = cudaFree(p);
    cudaGetLastError();
    return error;
}
__global__ void both_kinds(float* p) {
    extern __shared__ float dynamic[];
    __shared__ float fixed[2];
    fixed[0] = dynamic[0] = 1;
    p[0] = fixed[0] + dynamic[0];
}
void shares(torch::Tensor x, int64_t bytes, bool asked) {
    if (asked) cudaFuncSetAttribute(both_kinds, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    both_kinds<<<1, 1, bytes>>>(x.data_ptr<float>());
}
void unchecked_launch(torch::Tensor x) { twice<<<1, 2048>>>(x.data_ptr<float>(), x.data_ptr<float>(), 1); }
void checked_launch(torch::Tensor x) {
    twice<<<1, 2048>>>(x.data_ptr<float>(), x.data_ptr<float>(), 1);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
torch::Tensor guarded(torch::Tensor x) {
    const c10::cuda::OptionalCUDAGuard guard(x.device());
    auto y = torch::empty_like(x);
    launch(x, y, at::cuda::getCurrentCUDAStream());
    return y;
}
torch::Tensor counted(int64_t blocks) {
    auto total = torch::zeros({1}, torch::dtype(torch::kFloat32).device(torch::kCUDA));
    count<<<blocks, 64, 0, at::cuda::getCurrentCUDAStream()>>>(total.data_ptr<float>());
    return total;
}
torch::Tensor with_symbol(torch::Tensor x, double value) {
    float host = value;
    auto stream = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaMemcpyToSymbolAsync(scale, &host, sizeof host, 0, cudaMemcpyHostToDevice, stream));
    host = 0;
    auto y = torch::empty_like(x);
    scaled<<<1, 32, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), (int)x.numel());
    return y;
}
torch::Tensor with_symbol_blocking(torch::Tensor x, double value) {
    float host = value;
    C10_CUDA_CHECK(cudaMemcpyToSymbol(scale, &host, sizeof host));
    auto y = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    scaled<<<1, 32, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), (int)x.numel());
    return y;
}
torch::Tensor without_copy(torch::Tensor x) {
    auto y = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    scaled<<<1, 32, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), (int)x.numel());
    return y;
}
torch::Tensor on_thread_stream(torch::Tensor x) {
    auto y = torch::empty_like(x);
    launch(x, y, cudaStreamPerThread);
    return y;
}
int64_t thread_stream() {
    return c10::cuda::getStreamFromExternal(cudaStreamPerThread, 0).id();
}
std::vector<int64_t> refused(int64_t what) {
    cudaStream_t stream;
    cudaEvent_t outside, inside;
    cudaGraph_t graph;
    float* p = nullptr;
    C10_CUDA_CHECK(cudaStreamCreate(&stream));
    C10_CUDA_CHECK(cudaEventCreate(&outside));
    C10_CUDA_CHECK(cudaEventCreate(&inside));
    C10_CUDA_CHECK(cudaEventRecord(outside, stream));
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    C10_CUDA_CHECK(cudaEventRecord(inside, stream));
    cudaError_t error = cudaSuccess;
    if (what == 0) error = cudaMalloc(&p, 256);
    if (what == 1) error = cudaStreamWaitEvent(stream, outside);
    if (what == 2) {
        twice<<<1, 32>>>(nullptr, nullptr, 0);
        error = cudaGetLastError();
    }
    if (what == 3) error = cudaEventQuery(inside);
    cudaGetLastError();
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    return {error, ended};
}
__global__ void write_at(signed char* x, size_t place) { x[place] = 9; }
void write_last(torch::Tensor x) {
    write_at<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<int8_t>(), x.numel() - 1);
}
std::vector<int64_t> facts() {
    int device = -1, blocks = 0, warp = 0, grid = 0, block = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, twice);
    return {device, warp, blocks, grid, block, at::cuda::getCurrentDeviceProperties()->multiProcessorCount};
}
