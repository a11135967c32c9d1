#include <ATen/AccumulateType.h>
#include <ATen/NumericUtils.h>
#include <ATen/OpMathType.h>
#include <ATen/ceil_div.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/detail/KernelUtils.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <torch/extension.h>
#include <ATen/cuda/ApplyGridUtils.cuh>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/NumericLimits.cuh>
#include <vector>

template <typename scalar_t>
__global__ void halve(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                      torch::PackedTensorAccessor64<scalar_t, 2> y,
                      at::GenericPackedTensorAccessor<scalar_t, 2> z) {
  using opmath_t = at::opmath_type<scalar_t>;
  const int total = x.size(0) * x.size(1);
  CUDA_KERNEL_LOOP(i, total) {
    const int r = i / x.size(1), c = i % x.size(1);
    y[r][c] = static_cast<scalar_t>(static_cast<opmath_t>(x[r][c]) / 2);
    z[r][c] = x[r][c] + static_cast<scalar_t>(1);
  }
}
template <typename scalar_t>
__global__ void total(const scalar_t* x, scalar_t* out, int64_t n) {
  using acc_t = at::acc_type<scalar_t, true>;
  acc_t sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += static_cast<acc_t>(x[i]);
  for (int d = 16; d > 0; d /= 2) sum += WARP_SHFL_DOWN(sum, d);
  if (threadIdx.x == 0) gpuAtomicAdd(out, static_cast<scalar_t>(sum));
}
template <typename scalar_t>
__global__ void extremes(const scalar_t* x, scalar_t* out) {
  gpuAtomicMax(out, x[threadIdx.x]);
  gpuAtomicMin(out + 1, x[threadIdx.x]);
  gpuAtomicMul(out + 2, at::_isnan(x[threadIdx.x]) ? x[0] : static_cast<scalar_t>(1));
}
std::vector<torch::Tensor> halved(torch::Tensor x) {
  const at::cuda::OptionalCUDAGuard guard(at::device_of(x));
  auto y = torch::empty_like(x), z = torch::empty_like(x);
  const auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, x.scalar_type(), "halved", ([&] {
        halve<scalar_t><<<at::cuda::detail::GET_BLOCKS(x.numel(), 64), 64, 0, stream>>>(
            x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), y.packed_accessor64<scalar_t, 2>(),
            z.generic_packed_accessor<scalar_t, 2>());
      }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {y, z};
}
torch::Tensor totalled(torch::Tensor x) {
  auto out = torch::zeros({}, x.options());
  AT_DISPATCH_ALL_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "total", [&] {
    total<scalar_t><<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(), x.numel());
  });
  AT_CUDA_CHECK(cudaGetLastError());
  return out;
}
torch::Tensor extreme(torch::Tensor x) {
  auto out = torch::stack({x[0], x[0], torch::ones_like(x[0])});
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "extreme", [&] {
    extremes<<<1, x.numel(), 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<scalar_t>(),
                                                                    out.data_ptr<scalar_t>());
  });
  return out;
}
bool guards(torch::Tensor x) {
  const auto before = at::cuda::getCurrentCUDAStream();
  const auto side = at::cuda::getStreamFromPool(), high = at::cuda::getStreamFromPool(true);
  bool good = side != before && high != before;
  {
    c10::cuda::CUDAStreamGuard guard(side);
    good &= at::cuda::getCurrentCUDAStream() == side && guard.original_stream() == before;
  }
  {
    std::vector<at::cuda::CUDAStream> streams = {high};
    at::cuda::CUDAMultiStreamGuard guard(streams);
    good &= at::cuda::getCurrentCUDAStream() == high;
  }
  {
    c10::cuda::OptionalCUDAStreamGuard guard(side.unwrap());
    good &= at::cuda::getCurrentCUDAStream() == side;
  }
  {
    c10::cuda::CUDAGuard guard(c10::Device(c10::kCUDA, 1));
    good &= c10::cuda::current_device() == 1 && guard.original_device().index() == 0;
  }
  at::cuda::CUDAEvent event;
  event.record(side);
  event.block(before);
  event.synchronize();
  good &= event.query() && at::cuda::getCurrentCUDAStream() == before &&
          before == at::cuda::getDefaultCUDAStream();
  good &= at::ceil_div(7, 2) == 4 && at::cuda::ATenCeilDiv(7, 2) == 4 && at::cuda::warp_size() == 32;
  good &= x.is_cuda() && at::cuda::getCurrentDeviceProperties()->major == 9 && at::cuda::is_available();
  c10::cuda::CUDACachingAllocator::recordStream(x.storage().data_ptr(), side);
  auto block = c10::cuda::CUDACachingAllocator::get()->allocate(64);
  return good && block.get() != nullptr;
}

__global__ void __launch_bounds__(64) bounded(float* x) { x[threadIdx.x] = 1; }
__global__ void swaps(c10::Half* x, __half* y) {
  const __half h = static_cast<__half>(x[0]);
  y[0] = __hadd(h, h);
  x[1] = static_cast<c10::Half>(y[0]);
  assert(y != nullptr);
}
void launch_bounded(torch::Tensor x) {
  bounded<<<1, x.numel(), 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
void swap_halves(torch::Tensor x) {
  swaps<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<at::Half>(),
                                                       reinterpret_cast<__half*>(x.data_ptr<at::Half>()) + 2);
}
