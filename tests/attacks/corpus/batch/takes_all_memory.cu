// Tries to take all memory.
// Stopped by: RLIMIT_DATA, seccomp
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
static void attack() {
    std::vector<std::vector<char>> kept;
    for (int i = 0; i < 1000; ++i) kept.emplace_back(1 << 30, 1);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
