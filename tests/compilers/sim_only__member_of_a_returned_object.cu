// Reason: a host's member of an object that a function returns: only types tell whose it is.
struct Line {
    float slope;
    float at(float x) const { return slope * x; }
};

__device__ Line steep() { return {9.0f}; }

__global__ void k(float* p) { p[0] = steep().at(p[0]); }

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p)); }
