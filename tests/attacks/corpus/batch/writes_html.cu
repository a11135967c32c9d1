// Tries to put a script into the feedback.
// Stopped by: escaping
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
    TORCH_CHECK(false, "\033[2J</pre><script>document.title='@MARK@'</script><img src=x onerror=alert(1)>");
}

torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) {
    attack();
    return torch::zeros_like(a);
}
