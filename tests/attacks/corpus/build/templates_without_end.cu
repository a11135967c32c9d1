// Tries to eat 20 GB of memory with templates.
// Stopped by: the compiler's limit on memory
// Told: GB of memory|s of computing|template instantiation depth
#include <torch/extension.h>
template <unsigned long N, typename... T> struct Grow { using type = typename Grow<N - 1, T..., int[N]>::type; };
template <typename... T> struct Grow<0, T...> { using type = int; };
template <unsigned long N> constexpr unsigned long blow() {
    if constexpr (N == 0) return 1; else return blow<N - 1>() + sizeof(typename Grow<800, int[N]>::type);
}
static constexpr unsigned long total = blow<800>();
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a + total; }
