// Tries to fill the disk with one array in the module.
// Stopped by: RLIMIT_FSIZE on what compilers write
// Told: File too large|size of|too large|relocation|add_relu|GB|fatal
#include <torch/extension.h>
unsigned char huge[40ul << 30] = {1};
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a + int(huge[a.numel()]); }
