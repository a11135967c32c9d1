// CUDA's error state as PyTorch shows it.
#pragma once

namespace sim {

const char* error_name(int error);    // "cudaErrorInvalidValue"
const char* error_string(int error);  // "invalid argument"

// Raises torch.AcceleratorError for the last error and clears it, as the check behind a PyTorch launch does;
// a sticky error stays.
void throw_last_error();
// Raises for a lost context only, as memory calls do.
void throw_sticky_error();

}  // namespace sim
