// Tries to end the process with success.
// Stopped by: a worker without a result earns nothing
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
    _exit(0);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
