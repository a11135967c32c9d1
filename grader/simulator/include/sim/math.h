// CUDA's arithmetic beyond the C library.
#pragma once
#include "bits.h"
#include "cached.h"
#include "functions.h"
#include "rounding.h"
#include "simd.h"
