// Reason: a kernel returns int.
__global__ int k(float* p) { return int(*p); }

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p)); }
