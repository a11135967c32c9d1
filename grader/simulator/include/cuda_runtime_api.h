// The host part of CUDA's runtime.
#pragma once
#include "vector_types.h"
#if __has_include("sim/runtime_api.h")
#include "sim/runtime_api.h"
#endif
