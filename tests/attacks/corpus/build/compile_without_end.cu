// Tries to keep the compiler busy for ever.
// Stopped by: the compiler's limit on computing
// Told: s of computing|constexpr
#include <torch/extension.h>
constexpr unsigned long spin(unsigned long n) {
    unsigned long x = n;
    for (unsigned long i = 0; i < 200000; ++i) x = x * 6364136223846793005ul + i;
    return x;
}
template <unsigned long... N> constexpr unsigned long all(std::index_sequence<N...>) { return (spin(N) + ...); }
static constexpr unsigned long total = all(std::make_index_sequence<4000>());
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a + (total % 2 == 5); }
