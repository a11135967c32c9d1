// Tries to have the compiler print the password file in its errors.
// Stopped by: Landlock around the build
// Told: etc/passwd
#include <torch/extension.h>
#include "/etc/passwd"
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
