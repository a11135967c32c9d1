// Part of CUDA's headers; everything is in vector_types.h.
#pragma once
#include "vector_types.h"
