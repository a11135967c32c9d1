"""The front end's table (architecture, seam 1), case by case."""

from __future__ import annotations

import pytest

from grader.toolchain.frontend import translate

ARGUMENT = '::sim::argument("a", a)'
ARGUMENTS = f"::sim::arguments({ARGUMENT})"


def kernel(name: str, arguments: str, line: int | str = 1) -> str:
    """Return what begins a kernel's body."""
    head = f'::sim::kernel({{"{name}", {line}}}, ::sim::arguments({arguments})'
    return f"{{ return {head}, [=]() mutable -> void {{"


SLOT = "[]{ static const ::sim::SharedSlot slot{"

GOLDEN = {
    "kernel": (
        "__global__ void k(float* a, int n) { a[n] = 1; }",
        "__global__ void k(float* a, int n) "
        + kernel("k", '::sim::argument("a", a), ::sim::argument("n", n)')
        + " a[n] = 1; }); }",
    ),
    "kernel with bounds after the attribute": (
        "__global__ void __launch_bounds__(256, 2) k(int a) {}",
        "__global__ void __launch_bounds__(256, 2) k(int a) "
        + kernel("k", '::sim::argument("a", a)', "1, 256")
        + "}); }",
    ),
    "kernel with a pack, an unnamed parameter, a default and a function pointer": (
        "template <class... A> __global__ void k(A... a, int, float b = f(1, 2), void (*g)(int)) {}",
        "template <class... A> __global__ void k(A... a, int, float b = f(1, 2), void (*g)(int)) "
        + kernel("k", '::sim::argument("a", a)..., ::sim::argument("b", b), ::sim::argument("g", g)')
        + "}); }",
    ),
    "a declaration stays": ("__global__ void k(float* a);", "__global__ void k(float* a);"),
    "launch": ("k<<<g, b, s, st>>>(x);", "(::sim::Configured(1, g, b, s, st), k(x));"),
    "launch of a template": (
        "ns::k<T, (2 > 1)><<<dim3(1, 2), f<g<int>>()>>>(x);",
        "(::sim::Configured(1, dim3(1, 2), f<g<int>>()), ns::k<T, (2 > 1)>(x));",
    ),
    "launch of a global name": ("::k<<<1, 2>>>();", "(::sim::Configured(1, 1, 2), ::k());"),
    "launch through pointers": (
        "(*f)<<<1, 2>>>(x); t[i]<<<1, 2>>>(); o.f<<<1, 2>>>();",
        "(::sim::Configured(1, 1, 2), (*f)(x)); (::sim::Configured(1, 1, 2), t[i]()); "
        "(::sim::Configured(1, 1, 2), o.f());",
    ),
    "launch after if, else and return": (
        "if (a) k<<<1, 2>>>(a); else return k<<<1, 2>>>(b);",
        "if (a) (::sim::Configured(1, 1, 2), k(a)); else return (::sim::Configured(1, 1, 2), k(b));",
    ),
    "launch over lines": (
        "k\n  <<<g,\n     b>>>(x,\n  y);",
        "(::sim::Configured(1, g,\n     b), k\n  (x,\n  y));",
    ),
    "launch in a macro's argument": (
        'AT_DISPATCH(t, "f", [&] { k<scalar_t><<<1, 2>>>(x); });',
        'AT_DISPATCH(t, "f", [&] { (::sim::Configured(1, 1, 2), k<scalar_t>(x)); });',
    ),
    "launch in a macro's body": (
        "#define GO(k, ...) \\\n  k<<<1, 2>>>(__VA_ARGS__)\n",
        "#define GO(k, ...) \\\n  (::sim::Configured(__LINE__, 1, 2), k(__VA_ARGS__))\n",
    ),
    "kernel in a macro's body": (
        "#define MAKE(name) __global__ void name(int a) { }\n",
        "#define MAKE(name) __global__ void name(int a) { return ::sim::kernel({#name, __LINE__}, "
        + ARGUMENTS
        + ", [=]() mutable -> void { }); }\n",
    ),
    "kernel behind a macro": (
        '#define KERNEL extern "C" __global__ void\nKERNEL k(int a) { }\n',
        '#define KERNEL extern "C" __global__ void\nKERNEL k(int a) ' + kernel("k", ARGUMENT, 2) + " }); }\n",
    ),
    "kernel with PyTorch's bounds": (
        "__global__ void C10_LAUNCH_BOUNDS_1(256) k(int a) { }",
        "__global__ void C10_LAUNCH_BOUNDS_1(256) k(int a) " + kernel("k", ARGUMENT, "1, 256") + " }); }",
    ),
    "shared": (
        "__shared__ float t[8][T + 1];",
        f' float (&t)[8][T + 1] = ::sim::shared<decltype(t)>({SLOT}"t", 1}}; return &slot; }}());',
    ),
    "shared, several": (
        "volatile __shared__ int a, *p;",
        f'volatile  int (&a) = ::sim::shared<decltype(a)>({SLOT}"a", 1}}; return &slot; }}()),'
        f' *(&p) = ::sim::shared<decltype(p)>({SLOT}"p", 1}}; return &slot; }}());',
    ),
    "shared, of an unnamed type": (
        "__shared__ struct { float v[2], (*f)(int); int n = 1; } box;",
        " struct { float v[2], (*f)(int); int n = 1; } (&box)"
        f' = ::sim::shared<decltype(box)>({SLOT}"box", 1}}; return &slot; }}());',
    ),
    "dynamic shared": (
        "void f() { extern __shared__ __align__(16) unsigned char s[]; }",
        "void f() { unsigned char* const s = "
        '::sim::dynamic_shared<unsigned char, ::sim::name_hash("s")>("s", 1); }',
    ),
    "constant": (
        "__constant__ float c[2] = {1, 2};",
        "static  float c__initial[2] = {1, 2}; "
        'static decltype(c__initial)& c = ::sim::symbol(c__initial, {"c", 1});',
    ),
    "noinline": ("__noinline__ void f();", "__attribute__((noinline)) void f();"),
}

UNTOUCHED = {
    "comments": "// k<<<1, 2>>>(x) __shared__ float a;\n/* __global__ void k() {} */\n",
    "strings": 'auto s = "k<<<1, 2>>>(x)"; auto r = R"x(__shared__ float "a)x";\n',
    "dropped text": "#if 0\nit's k<<<1, 2>>>(x)\n#endif\n",
    "device functions": "__device__ float sq(float x) { return x * x; }\n",
    "constants": "__device__ constexpr float pi = 3.14f;\n",
    "shifts and templates": "auto a = x << 2; vector<vector<vector<int>>> v(3); b = a >> 3 > (1);\n",
}


@pytest.mark.parametrize(("source", "expected"), GOLDEN.values(), ids=GOLDEN)
def test_emits(source: str, expected: str) -> None:
    """Each construct becomes exactly what the seam promises."""
    assert translate(source).text == expected


@pytest.mark.parametrize("source", UNTOUCHED.values(), ids=UNTOUCHED)
def test_leaves_alone(source: str) -> None:
    """Text that is no CUDA construct comes out byte for byte."""
    assert translate(source).text == source


def test_file_scope_dynamic_shared_moves_into_its_users() -> None:
    """`extern __shared__` at file scope becomes a variable of each function that uses it."""
    text = translate(
        "extern __shared__ float s[];\n__global__ void k() { s[0] = 1; }\n__global__ void l() {}\n"
    ).text
    assert text.split("\n")[0] == ""
    assert (
        '{ float* const s = ::sim::dynamic_shared<float, ::sim::name_hash("s")>("s", 1); s[0] = 1; }' in text
    )
    assert text.count("dynamic_shared") == 1


def test_one_branch_of_a_conditional_counts_for_braces() -> None:
    """A body whose opening brace stands in both branches of a conditional still ends where it ends."""
    text = translate(
        "#ifdef A\n__global__ void k(int a) {\n#else\n__global__ void k(int a) {\n#endif\n}\n"
    ).text
    assert text.count("::sim::kernel") == 2
    assert text.rstrip().endswith("}); }); }")


def test_lines_count_from_the_editors_first() -> None:
    """Lines in generated code are those that the learner's editor shows."""
    assert "Configured(8, " in translate("\nk<<<1, 2>>>(x);", first_line=7).text


def test_columns_come_back() -> None:
    """A column of the new text leads to the same character in the learner's, also across moved pieces."""
    source = "int é; kernel<<<grid, block>>>(x, wrong);"
    edited = translate(source).edited
    for word in ("kernel", "grid", "block", "wrong"):
        line, column = edited.original(1, edited.text.index(word) + 1)
        assert (line, source[column - 1 :].startswith(word)) == (1, True)


FUNCTIONS = """
static int hidden(int x) { return x; }
template <class T> T generic(T x) { return x; }
__global__ void kernel(float* x) {}
__device__ float device_only(float x) { return x; }
namespace inner { void nested(int) {} }
namespace { void anonymous(int) {} }
#if 1
torch::Tensor conditional(torch::Tensor x) { extern __shared__ __align__(16) float s[]; return x; }
#endif
extern "C" { void c_linkage(int64_t n) {} }
std::vector<torch::Tensor> host(const torch::Tensor& x, std::optional<double> y = {}, int = 3) { return {}; }
void pointer(float* x) {}
void declared(int);
"""


def test_finds_the_functions_that_python_can_call() -> None:
    """Host functions at file scope are found, with parameters as written and their line."""
    functions = {f.name: f for f in translate(FUNCTIONS).functions}
    assert set(functions) == {"conditional", "c_linkage", "host", "pointer", "declared"}
    assert functions["host"].signature() == (
        "std::vector<torch::Tensor> host(const torch::Tensor& x, std::optional<double> y, int)"
    )
    assert functions["host"].line == 12
    assert not functions["pointer"].bindable
    assert not functions["declared"].defined


def test_a_kernel_behind_a_macro_is_no_host_function() -> None:
    """A macro that stands for `__global__` or `__device__` keeps its functions out of Python's reach."""
    source = (
        "#define K static __global__ void\n#define D inline __device__\nK k(int n) {}\nD int d(int n) {}\n"
    )
    assert (
        translate(source + "int h(int n) {}").functions == translate("\n" * 4 + "int h(int n) {}").functions
    )


MISSING = {
    "cooperative launch": (
        "\nvoid f() { cudaLaunchCooperativeKernel(k, 1, 1, a); }",
        "grid-wide synchronisation (cooperative launch)",
        2,
    ),
    "asm": ('void f() { asm volatile("nop;"); }', "inline PTX (asm)", 1),
    "include": ("\n#include <cub/block/block_reduce.cuh>", "CUB", 2),
    "wmma": ("\n\nusing namespace nvcuda; wmma::fragment<int> a;", "tensor cores (wmma)", 3),
    "managed": ("__managed__ int x;", "managed memory", 1),
    "nested launch": ("__global__ void k() { k<<<1, 2>>>(); }", "dynamic parallelism", 1),
}


@pytest.mark.parametrize(("source", "construct", "line"), MISSING.values(), ids=MISSING)
def test_names_what_the_simulator_lacks(source: str, construct: str, line: int) -> None:
    """A construct that needs a GPU is named with its line."""
    assert [(m.construct, m.line) for m in translate(source).missing] == [(construct, line)]


def test_mention_in_a_comment_needs_no_gpu() -> None:
    """Words in comments and strings are not constructs."""
    assert translate('// asm wmma\nauto s = "asm";\n').missing == []


FAULTS = {
    "unended launch": ("k<<<1, 2>>(x);", "expected '>>>('"),
    "empty configuration": ("k<<<>>>(x);", "needs a grid and a block"),
    "value": ("__global__ int k() { return 1; }", "must return void"),
    "no semicolon before a launch": ("auto s = f()\nk<<<1, 2>>>(s);", "expected ';' at the end of this line"),
    "no semicolon after a name": ("n = m\nk<<<1, 2>>>(s);", "expected ';' at the end of this line"),
    "no configuration": ("__global__ void k(int a) {}\nvoid f() { k(1); }", "without a launch configuration"),
}


@pytest.mark.parametrize(("source", "message"), FAULTS.values(), ids=FAULTS)
def test_explains_what_no_compiler_could(source: str, message: str) -> None:
    """A launch or kernel that cannot be rewritten is explained in CUDA's terms."""
    assert [message in fault.message for fault in translate(source).faults] == [True]


@pytest.mark.parametrize(
    "before", ["if (a)", "for (;;)", "else", "CHECK(a)", "return", "(void)", "case 1:", "do"]
)
def test_a_launch_may_follow(before: str) -> None:
    """What can stand on the line before a launch without a semicolon is no fault."""
    assert translate(f"{before}\n  k<<<1, 2>>>(x);").faults == []


def test_a_host_function_may_share_a_kernels_name() -> None:
    """A statement that calls an overload of the kernel's name is no fault."""
    source = "__global__ void scale(float* a) {}\nvoid scale(int n) {}\nvoid f() { scale(3); }"
    assert translate(source).faults == []
