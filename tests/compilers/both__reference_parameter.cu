// Reason: a kernel's parameter is a reference, of which nvcc only warns: it refers to host memory.
__global__ void k(float* p, const int& n) { *p = n; }

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p), 3); }
