// Tries to print errors without end.
// Stopped by: the number of errors that a compiler prints
// Told: undefined_name
#include <torch/extension.h>
#define X1 undefined_name;
#define X10 X1 X1 X1 X1 X1 X1 X1 X1 X1 X1
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10
#define X1000 X100 X100 X100 X100 X100 X100 X100 X100 X100 X100
void f() { X1000 X1000 X1000 X1000 X1000 X1000 X1000 X1000 X1000 X1000 }
torch::Tensor add_relu(torch::Tensor a, torch::Tensor b) { return a; }
