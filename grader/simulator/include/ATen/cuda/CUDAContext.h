#pragma once
#include "CUDAContextLight.h"
