// Tries to include a device that never ends.
// Stopped by: Landlock grants it to nobody as a source; the compiler refuses devices
// Told: zero
#include <torch/extension.h>
#include "/dev/zero"
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
// A device has no end.
