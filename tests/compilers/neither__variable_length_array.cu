// Reason: an array in a kernel whose length is a parameter.
__global__ void k(float* p, int n) {
    float values[n];
    values[0] = *p;
    *p = values[0];
}

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p), 4); }
