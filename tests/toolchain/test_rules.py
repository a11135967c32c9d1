"""What nvcc refuses is refused on sim too; what it accepts is left alone.  Each was tried on nvcc 13."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.toolchain import BuildResult
from grader.toolchain.frontend import translate

REFUSED = {
    "host function from a kernel": (
        "float sq(float x) { return x * x; }\n__global__ void k(float* p) { *p = sq(*p); }",
        "calling a __host__ function ('sq') from a __global__ function ('k')",
    ),
    "host template from device code": (
        "template <class T> T sq(T x) { return x * x; }\n__device__ float k(float p) { return sq(p); }",
        "calling a __host__ function ('sq') from a __device__ function ('k')",
    ),
    "device function from the host": (
        "__device__ float sq(float x) { return x * x; }\nfloat g(float x) { return sq(x); }",
        "calling a __device__ function ('sq') from a __host__ function ('g')",
    ),
    "functor of the host": (
        "struct R { float operator()(float x) const { return x; } };\n"
        "__global__ void k(float* p) { *p = R()(*p); }",
        "operator() is a __host__ function",
    ),
    "member kernel": ("struct S { static __global__ void k(int* p) { } };", "is a member of a class"),
    "device lambda": ("auto f = [=] __device__ (int i) { return i; };", "--extended-lambda"),
    "shared initialiser": ("__global__ void k() { __shared__ int s = 3; }", "cannot be initialised"),
    "exceptions": ("__global__ void k() { throw 1; }", "exception handling"),
    "check in a kernel": ("__global__ void k(int n) { TORCH_CHECK(n > 0); }", "TORCH_CHECK"),
    "host library": ("__global__ void k() { std::vector<int> v; }", "std::vector is for the host"),
    "host variable": ("static int n = 0;\n__global__ void k(int* p) { *p = n; }", "variable of the host"),
    "host array": (
        "const float t[2] = {1, 2};\n__global__ void k(float* p, int i) { *p = t[i]; }",
        "declare the array __constant__",
    ),
    "launch of a host function": (
        "void k(float* p) { }\nvoid g(float* p) { k<<<1, 1>>>(p); }",
        "'k' is no kernel",
    ),
    "shared memory of the host": ("int g() { __shared__ int s; return s; }", "belongs into a kernel"),
    "device variable from the host": (
        "float start() { return 2; }\n__device__ float factor = start();",
        "cudaMemcpyToSymbol",
    ),
    "typeid": ("__global__ void k(float* p) { *p = typeid(p) == typeid(p); }", "typeid is not allowed"),
    "member of a tensor": (
        "__global__ void k(const torch::Tensor& x, float* p) { *p = x.size(0); }",
        "a pointer or an accessor",
    ),
    "kernel of other letters": ("__global__ void größe() { }", "ASCII"),
    "member of the host": (
        "struct S { float a; float at(float x) const { return a * x; } };\n"
        "__global__ void k(float* p, S s) { *p = s.at(*p); }",
        "calling a __host__ function ('S::at') from a __global__ function ('k')",
    ),
    "member of the host by pointer": (
        "struct S { float at(float x); };\n__device__ float f(S* s) { return s->at(1.f); }",
        "calling a __host__ function ('S::at') from a __device__ function ('f')",
    ),
    "member of the host of a local variable": (
        "template <class T> struct S { T at(T x) { return x; } };\n"
        "__global__ void k(float* p) { S<float> s; *p = s.at(*p); }",
        "('S::at')",
    ),
    "static member of the host": (
        "struct S { static float at(float x) { return x; } };\n"
        "__global__ void k(float* p) { *p = S::at(*p); }",
        "('S::at')",
    ),
    "constructor of the host": (
        "struct S { float a; S(float x, float y) : a(x + y) { } };\n"
        "__global__ void k(float* p) { S s(1.f, 2.f); *p = s.a; }",
        "('S::S')",
    ),
    "exceptions in a member": ("struct S { __device__ void f() { throw 1; } };", "exception handling"),
}

ACCEPTED = {
    "constexpr function": (
        "constexpr int sq(int x) { return x * x; }\n__global__ void k(int* p) { *p = sq(*p); }"
    ),
    "both sides": (
        "__host__ __device__ int sq(int x) { return x * x; }\n"
        "__global__ void k(int* p) { *p = sq(*p); }\nint g() { return sq(2); }"
    ),
    "macro for both": (
        "C10_HOST_DEVICE int sq(int x) { return x; }\n__global__ void k(int* p) { *p = sq(*p); }"
    ),
    "device overload": (
        "int sq(int x) { return x; }\n__device__ float sq(float x) { return x; }\n"
        "__global__ void k(float* p) { *p = sq(*p); }"
    ),
    "lambda of the same name": (
        "int f(int x) { return x; }\n"
        "__global__ void k(int* p) { auto f = [](int x) { return x; }; *p = f(1); }"
    ),
    "member of the same name": "int size() { return 1; }\n__global__ void k(A a, int* p) { *p = a.size(); }",
    "operator of PyTorch": (
        "__device__ float relu(float x) { return x; }\nat::Tensor g(at::Tensor x) { return relu(x); }"
    ),
    "scalar constant": "const float eps = 1e-5f;\n__global__ void k(float* p) { *p = eps; }",
    "local of a global's name": "static int n = 0;\n__global__ void k(int* p) { int n = 1; *p = n; }",
    "parameter of a global's name": "static int n = 0;\n__global__ void k(int* p, int n) { *p = n; }",
    "host functor for the host": (
        "struct R { int operator()(int x) { return x; } };\nint g() { return R()(1); }"
    ),
    "device functor": (
        "struct R { __device__ float operator()(float x) const { return x; } };\n"
        "__global__ void k(float* p) { *p = R()(*p); }"
    ),
    "host library on the host": "std::vector<int> g() { return {}; }\n__global__ void k() { }",
    "inner lambda": (
        "__global__ void k(float* p) { auto f = [&](float x) { return x * p[0]; }; p[1] = f(2.f); }"
    ),
    "members of both sides": (
        "struct S { __host__ __device__ float at(float x) { return x; }\n"
        "  constexpr float b() { return 1; } };\n"
        "__global__ void k(float* p, S s) { *p = s.at(s.b()); }"
    ),
    "an overload of the device": (
        "struct S { int at(int x) { return x; } __device__ float at(float x) { return x; } };\n"
        "__global__ void k(float* p, S s) { *p = s.at(*p); }"
    ),
    "defaulted members": (
        "struct S { S() = default; S(const S&) = default; float a; };\n"
        "__global__ void k(float* p, S s) { S t; S u(s); *p = t.a + u.a; }"
    ),
    "host members on the host": (
        "struct S { float at(float x) { return x; } };\n"
        "float g(S s) { return s.at(1); }\n__global__ void k(float* p, S s) { }"
    ),
    "a member of another class": (
        "struct S { int size() { return 1; } };\n__global__ void k(A a, S s, int* p) { *p = a.size(); }"
    ),
    "an aggregate": (
        "struct S { float a, b; float sum() { return a + b; } };\n"
        "__global__ void k(float* p) { S s{1.f, 2.f}; *p = s.a + s.b; }"
    ),
    "launch of an overloaded name": (
        "void k(int n) { }\n__global__ void k(float* p) { }\nvoid g(float* p) { k<<<1, 1>>>(p); k(1); }"
    ),
    "device variable of a constant": (
        "constexpr float twice(float x) { return 2 * x; }\n__device__ float factor = twice(1);"
    ),
    "tensors on the host": (
        "__global__ void k(float* p) { }\n"
        "void g(torch::Tensor x) { k<<<x.size(0), 1>>>(x.data_ptr<float>()); }"
    ),
    "another variable of that name": (
        "struct S { float at(float x) { return x; } };\n"
        "__global__ void k(float* p, S s) { { A s; *p = s.at(*p); } }"
    ),
    "members of a base": (
        "struct B { __device__ float at(float x) { return x; } };\n"
        "struct S : B { using B::at; float at(int x) { return x; } };\n"
        "__global__ void k(float* p, S s) { *p = s.at(*p); }"
    ),
    "initialisers in braces": (
        "struct S { int a{3}; float b = f(2); __device__ S(int x, int y) : a{x}, b(y) { } \n"
        "  __device__ int get() const { return a; } };\n"
        "__global__ void k(int* p) { S s(1, 2); *p = s.get(); }"
    ),
    "array of a literal size": "__global__ void k(float* p) { float v[3]; v[0] = 1; *p = v[0]; }",
}


@pytest.mark.parametrize(("source", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(source: str, message: str) -> None:
    """The first fault says what is wrong."""
    faults = translate(source).faults
    assert faults, "accepted"
    assert message in faults[0].message


@pytest.mark.parametrize("source", ACCEPTED.values(), ids=ACCEPTED)
def test_accepts(source: str) -> None:
    """Code that nvcc accepts has no fault."""
    assert translate(source).faults == []


COMPILED = {
    "array of a computed size": (
        "__global__ void k(float* p, int n) { float v[n]; v[0] = 1; p[0] = v[0]; }",
        "needs a size that is known",
    ),
    "lambda in a variable": (
        "template <class F> __global__ void k(float* p, F f) { *p = f(*p); }\n"
        "void g(int64_t p) { auto h = [=](float x) { return x + 1; }; k<<<1, 1>>>((float*)p, h); }",
        "a lambda of the host cannot be an argument of a kernel",
    ),
    "two types of shared memory": (
        "template <class T> __global__ void k(T* p) { extern __shared__ T s[]; s[0] = p[0]; p[1] = s[0]; }\n"
        "void g(int64_t p) { k<<<1, 1, 8>>>((float*)p); k<<<1, 1, 8>>>((double*)p); }",
        "dynamic shared memory of one name has two types",
    ),
    "operator on __half": (
        "#include <cuda_fp16.h>\n__global__ void k(__half* p) { p[0] = p[1] + p[2]; }",
        "use __hadd",
    ),
    "shuffle of a struct": (
        "__global__ void k(float2* p) { p[0] = __shfl_sync(~0u, p[1], 0); }",
        "no matching function for call to '__shfl_sync",
    ),
    "atomic on long long": (
        "__global__ void k(long long* p) { atomicAdd(p, 1ll); }",
        "invalid conversion from 'long long int*'",
    ),
    "a module of one's own": (
        "#include <torch/extension.h>\nint64_t g() { return 1; }\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("g", &g); }',
        "PYBIND11_MODULE is one module too many",
    ),
}


@pytest.mark.parametrize(("source", "message"), COMPILED.values(), ids=COMPILED)
def test_compiler_refuses(built: Callable[..., BuildResult], source: str, message: str) -> None:
    """What only types tell is refused by the compiler, in words that say what to do."""
    result = built(source, functions=["g"] if " g(" in source else [])
    assert not result.ok
    assert message in result.diagnostics[0].message
    assert "sim::" not in result.diagnostics[0].message


NEEDS_GPU = {
    "grid synchronisation": (
        "#include <cooperative_groups.h>\n"
        "__global__ void k() { auto g = cooperative_groups::this_grid(); g.sync(); }",
        "grid-wide synchronisation",
    ),
    "tile of two warps": (
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "__global__ void k() { auto t = cg::tiled_partition<64>(cg::this_thread_block()); }",
        "tiles of more than 32 threads",
    ),
    "kernel of unknown type": (
        "__global__ void k(int n) { }\n"
        "void g() { const void* f = (const void*)k; int n = 1; void* a[] = {&n};\n"
        "cudaLaunchKernel(f, dim3(1), dim3(1), a, 0, 0); }",
        "launches of untyped pointers",
    ),
}


@pytest.mark.parametrize(("source", "construct"), NEEDS_GPU.values(), ids=NEEDS_GPU)
def test_headers_name_what_the_simulator_lacks(
    built: Callable[..., BuildResult], source: str, construct: str
) -> None:
    """What only the headers can tell is missing makes the answer need a GPU, and not wrong."""
    result = built(source)
    assert [missing["construct"] for missing in result.missing] == [construct]
    assert result.missing[0]["line"] > 0


def test_extended_lambdas_by_flag(built: Callable[..., BuildResult]) -> None:
    """With nvcc's flag, a lambda with `__device__` may be a kernel's argument."""
    source = (
        "template <class F> __global__ void k(float* p, F f) { *p = f(*p); }\n"
        "void g(int64_t p) { k<<<1, 1>>>((float*)p, [=] __device__ (float x) { return x + 1; }); }"
    )
    assert not built(source).ok
    result = built(source, extra_cuda_cflags=["--extended-lambda"])
    assert result.ok, result.diagnostics


@pytest.mark.parametrize(
    "flags", [["--default-stream", "per-thread"], ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"]], ids=str
)
def test_another_default_stream_needs_a_gpu(built: Callable[..., BuildResult], flags: list[str]) -> None:
    """nvcc's flag that changes what stream 0 is makes a unit need a GPU."""
    result = built("void g() { }", extra_cuda_cflags=flags)
    assert [missing["construct"] for missing in result.missing] == ["default stream for each thread"]


ARCHITECTURE = {
    "kernel": ("__global__ void k() {\n#ifdef __CUDA_ARCH__\n1;\n#endif\n}", "#if 1"),
    "host": ("void k() {\n#ifdef __CUDA_ARCH__\n1;\n#endif\n}", "#if 0"),
    "number": ("__device__ void k() {\n#if __CUDA_ARCH__ >= 800\n1;\n#endif\n}", "#if 900 >= 800"),
    "defined": ("__device__ void k() {\n#if !defined(__CUDA_ARCH__)\n1;\n#endif\n}", "#if !1"),
    "file scope": ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600\n#endif\n", "#if 1 && 900 < 600"),
    "host code at file scope": (
        "#ifndef __CUDA_ARCH__\nvoid g() { cudaDeviceSynchronize(); }\n#endif\n",
        "#if 1",
    ),
    "both sides": ("__host__ __device__ void k() {\n#ifndef __CUDA_ARCH__\n1;\n#endif\n}", "#if 0"),
}


@pytest.mark.parametrize(("source", "expected"), ARCHITECTURE.values(), ids=ARCHITECTURE)
def test_decides_conditions_on_the_architecture(source: str, expected: str) -> None:
    """A condition is decided where it stands, on its own line."""
    text = translate(source).text
    assert expected in text.split("\n")
    assert text.count("\n") == source.count("\n")


def test_digraphs_are_brackets() -> None:
    """A kernel whose braces are digraphs is a kernel."""
    assert "::sim::kernel" in translate("__global__ void k(int* p) <% p<:0:> = 1; %>").text
    assert "std::pair<::A" in translate("std::pair<::A, int> x;").text
