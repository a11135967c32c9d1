// Launches by function call: cudaLaunchKernel and its kin.  The kernel's type tells what the pointers in
// `arguments` lead to, so a kernel whose type is lost cannot be launched.
#pragma once
#include <utility>

#include "kernel.h"
#include "runtime_api.h"

namespace sim {
namespace detail {

template <class... P, size_t... I>
cudaError_t launch_pointers(int line, dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                            void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
  (void)arguments;
  (Configured(line, grid, block, shared, stream),
   kernel(*static_cast<std::remove_reference_t<P>*>(arguments[I])...));
  return api::cudaPeekAtLastError();
}

template <class T>
constexpr bool is_untyped = std::is_void_v<T>;

}  // namespace detail

namespace api {

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = 0, int line = __builtin_LINE()) {
  return detail::launch_pointers(line, grid, block, shared, stream, kernel, arguments,
                                 std::index_sequence_for<P...>{});
}
template <class T, class = std::enable_if_t<std::is_void_v<T>>>
cudaError_t cudaLaunchKernel(T*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0) {
  static_assert(!detail::is_untyped<T>, "needs a GPU: the simulator has no launches of untyped pointers");
  return cudaErrorNotSupported;
}

template <class... P>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, void (*kernel)(P...), void** arguments,
                                int line = __builtin_LINE()) {
  return detail::launch_pointers(line, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                 config->stream, kernel, arguments, std::index_sequence_for<P...>{});
}
template <class T, class = std::enable_if_t<std::is_void_v<T>>>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, T*, void**) {
  static_assert(!detail::is_untyped<T>, "needs a GPU: the simulator has no launches of untyped pointers");
  return cudaErrorNotSupported;
}

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
  (Configured(0, config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream),
   kernel(std::forward<A>(arguments)...));
  return cudaPeekAtLastError();
}

}  // namespace api
}  // namespace sim
