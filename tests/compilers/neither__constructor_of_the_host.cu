// Reason: a kernel makes an object by a constructor that is the host's.
struct Pair {
    float a, b;
    Pair(float x, float y) : a(x), b(y) {}
};

__global__ void k(float* p) {
    Pair pair(p[0], p[1]);
    p[0] = pair.a + pair.b;
}

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p)); }
