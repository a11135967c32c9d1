// Reason: an overloaded operator of the host in a kernel: only types tell which function `+` is.
struct Pair {
    float a, b;
    Pair operator+(const Pair& other) const { return {a + other.a, b + other.b}; }
};

__global__ void k(float* p, Pair x, Pair y) { p[0] = (x + y).a; }

void g(int64_t p) { k<<<1, 1>>>(reinterpret_cast<float*>(p), Pair{1, 2}, Pair{3, 4}); }
