// Tries to have the compiler print its environment.
// Stopped by: Landlock: no /proc for a build; a minimal environment
// Told: environ
#include <torch/extension.h>
#include "/proc/self/environ"
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
