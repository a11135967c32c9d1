// CUDA's declaration keywords.  The front end rewrites __shared__, __constant__, __device__ variables and <<<
// >>>; what is left of the keywords means nothing to a host compiler.
// __noinline__ is no macro here: libstdc++ writes __attribute__((__noinline__)), so the front end replaces
// it.
#pragma once

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __nv_pure__
#define CUDART_CB
#define CUDARTAPI
