// What a .cu file can name without including anything.
#pragma once
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_launch_parameters.h"
#include "sim/atomic.h"
#include "sim/kernel.h"
#include "sim/launch_api.h"
#include "sim/math.h"
#include "sim/qualifiers.h"
#include "sim/shared.h"
#include "sim/symbol.h"
#include "sim/thread.h"
#include "vector_functions.h"
#include "vector_types.h"
#if __has_include("sim/runtime_api.h")
#include "sim/runtime_api.h"
#endif
