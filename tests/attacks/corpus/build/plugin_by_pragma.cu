// Tries to have the compiler load a plugin of its own.
// Stopped by: the compiler takes no plugin from a source
// Told: plugin|add_relu
#include <torch/extension.h>
#pragma GCC plugin("/tmp/@MARK@.so")
#pragma GCC optimize("-fplugin=/tmp/@MARK@.so")
#error plugin was not loaded
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
