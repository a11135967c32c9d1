// Tries to learn whether files are there.
// Stopped by: Landlock, namespaces
// Told: #error|not there
#include <torch/extension.h>
#if __has_include("@COURSE@/.grader_seed")
#warning the seed is there: @TOKEN@
#else
#error not there
#endif
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
