// Tries to print a gigabyte.
// Stopped by: RLIMIT_FSIZE on what it prints
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
    std::vector<char> block(1 << 20, 'x');
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 1024; ++i) fwrite(block.data(), 1, block.size(), stdout);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
