// A minimal driver API header: the simulator offers the runtime API only.
#pragma once
#include "cuda_runtime_api.h"
