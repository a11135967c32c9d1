// Tries to include itself without end.
// Stopped by: the compiler's limit on depth
// Told: nested too deeply|include|No such file|#error
#include <torch/extension.h>
#include __FILE__
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
