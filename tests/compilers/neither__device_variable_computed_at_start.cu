// Reason: a __device__ variable's initialiser has to be computed.
float start() { return 2.0f; }
__device__ float factor = start();

__global__ void k(float* p) { *p = factor; }

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p)); }
