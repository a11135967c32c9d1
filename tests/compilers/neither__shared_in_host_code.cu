// Reason: a __shared__ variable in a function of the host.
int64_t g(int64_t p) {
    __shared__ int s;
    s = int(p);
    return s;
}
