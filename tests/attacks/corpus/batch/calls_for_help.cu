// Tries to send its inputs over the network.
// Stopped by: seccomp, Landlock, namespaces
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
    for (int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
        int end = socket(family, SOCK_DGRAM, 0);
        TORCH_CHECK(end < 0, "a socket of family ", family, " could be made");
    }
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
