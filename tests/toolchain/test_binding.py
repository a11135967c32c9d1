"""What Python can pass and get, and which exceptions it sees."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

SOURCE = """
#include <torch/extension.h>
torch::Tensor tensor(const torch::Tensor& x, torch::Tensor& y, at::Tensor z) { return x + y + z; }
int64_t count(std::vector<torch::Tensor> list, torch::TensorList view) { return list.size() + view.size(); }
std::string maybe(std::optional<torch::Tensor> x, c10::optional<double> y) {
  return std::string(x ? "x" : "-") + (y ? "y" : "-");
}
std::tuple<int, int64_t, float, double, bool, std::string> numbers(
    int a, int64_t b, float c, double d, bool e, const std::string& f) {
  return {a, b, c, d, e, f};
}
at::ScalarType dtype(at::ScalarType t) { return t; }
std::vector<int64_t> sizes(at::IntArrayRef s) { return s.vec(); }
std::pair<torch::Tensor, std::vector<torch::Tensor>> pair(torch::Tensor x) { return {x, {x, x}}; }
torch::Tensor undefined() { return {}; }
void nothing(uint8_t small) {}
void raises(int64_t kind) {
  TORCH_CHECK(kind != 0, "kind is ", kind, " and ", 2.5);
  TORCH_CHECK_INDEX(kind != 1, "index");
  TORCH_CHECK_VALUE(kind != 2, "value");
  TORCH_CHECK_TYPE(kind != 3, "type");
  TORCH_CHECK_NOT_IMPLEMENTED(kind != 4, "lacks");
  if (kind == 5) throw std::out_of_range("range");
  if (kind == 6) throw std::invalid_argument("argument");
  if (kind == 7) throw 42;
  if (kind == 8) throw std::runtime_error("caf\\xe9");
  TORCH_CHECK_VALUE(kind != 9, "caf\\xe9");
  throw std::runtime_error("run");
}
void* pointer(int x) { return nullptr; }
int twice(int x) { return x; }
int twice(float x) { return 1; }
"""


@pytest.fixture(scope="module")
def module(loaded: Callable[..., ModuleType]) -> ModuleType:
    """Return a module with a function for each kind of argument."""
    return loaded(SOURCE)


@pytest.fixture(scope="module")
def ones(module: ModuleType) -> Any:
    """Return a tensor on the simulator, which the module brings."""
    return torch.ones(3, device="sim")


def test_offers_what_python_can_call(module: ModuleType) -> None:
    """A function with types that Python lacks, and an overloaded one, are left out."""
    names = {name for name in vars(module) if not name.startswith("_")}
    assert {"tensor", "numbers", "raises"} <= names
    assert not names & {"pointer", "twice"}


def test_values_go_in_and_out(module: ModuleType, ones: Any) -> None:
    """Every documented type arrives as it was sent."""
    assert module.numbers(1, 2**40, 1.5, 3, True, "é") == (1, 2**40, 1.5, 3.0, True, "é")
    assert torch.equal(module.tensor(ones, ones, ones).cpu(), torch.full((3,), 3.0))
    assert module.count([ones, ones], (ones,)) == 3
    assert module.maybe(None, None) == "--"
    assert module.maybe(ones, 1) == "xy"
    assert module.dtype(torch.bfloat16) is torch.bfloat16
    assert module.sizes([1, 2]) == [1, 2]
    assert module.nothing(255) is None
    assert module.undefined() is None


def test_a_tensor_comes_back_as_itself(module: ModuleType, ones: Any) -> None:
    """A tensor that is returned as given is the same object in Python, in tuples and lists too."""
    first, rest = module.pair(ones)
    assert all(one is ones for one in (first, *rest))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, x: m.tensor(x, x), "takes 3, got 2"),
        (lambda m, x: m.tensor(x, 3, x), "'y' cannot be a int"),
        (lambda m, x: m.tensor(x, x, None), "'z' cannot be None"),
        (lambda m, x: m.count([3], []), "'list' cannot be a list"),
        (lambda m, x: m.nothing(256), "'small' cannot be a int"),
        (lambda m, x: m.nothing(1.0), "'small' cannot be a float"),
        (lambda m, x: m.nothing(small=1), "no keyword arguments"),
    ],
)
def test_a_wrong_argument_shows_the_signature(
    module: ModuleType, ones: Any, call: Callable[[ModuleType, Any], Any], words: str
) -> None:
    """A TypeError names the argument and shows the whole signature."""
    with pytest.raises(TypeError, match=words) as caught:
        call(module, ones)
    assert ") -> " in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "error", "text"),
    [
        (0, RuntimeError, "kind is 0 and 2.5"),
        (1, IndexError, "index"),
        (2, ValueError, "value"),
        (3, TypeError, "type"),
        (4, NotImplementedError, "lacks"),
        (5, IndexError, "range"),
        (6, ValueError, "argument"),
        (10, RuntimeError, "run"),
    ],
)
def test_exceptions_are_those_of_pytorchs_bindings(
    module: ModuleType, kind: int, error: type[Exception], text: str
) -> None:
    """A C++ exception becomes the Python one that PyTorch's own bindings give, with its text and no more."""
    with pytest.raises(error) as caught:
        module.raises(kind)
    assert type(caught.value) is error
    assert str(caught.value) == text


def test_what_is_no_exception_class_ends_no_process(module: ModuleType) -> None:
    """`throw 42` is an exception in Python too, and says what was wrong with it."""
    with pytest.raises(RuntimeError, match="raises threw something that is no std::exception"):
        module.raises(7)


@pytest.mark.parametrize("kind", [8, 9])
def test_bytes_that_are_no_utf8_are_shown_escaped(module: ModuleType, kind: int) -> None:
    """A message in another encoding arrives as text, with its foreign bytes escaped."""
    with pytest.raises((RuntimeError, ValueError)) as caught:
        module.raises(kind)
    assert str(caught.value) == "caf\\xe9"


def test_documentation_begins_with_the_signature(module: ModuleType) -> None:
    """`help` shows names, types and the result."""
    text = module.maybe.__doc__
    assert text.startswith("maybe(x: Optional[torch.Tensor], y: Optional[float]) -> str\n")


def test_launch_bounds_as_pytorch_writes_them(built: Callable[..., Any]) -> None:
    """PyTorch's own spellings of launch bounds compile before and behind `__global__`."""
    bounds = ("C10_LAUNCH_BOUNDS_0", "C10_LAUNCH_BOUNDS_1(64)", "C10_LAUNCH_BOUNDS_2(64, 2)")
    kernels = [f"{b} __global__ void a{n}(int i) {{}}\n" for n, b in enumerate(bounds)]
    kernels += [f"__global__ void {b} b{n}(int i) {{}}\n" for n, b in enumerate(bounds)]
    calls = " ".join(f"a{n}<<<1, 1>>>(n); b{n}<<<1, 1>>>(n);" for n in range(3))
    result = built(
        "#include <torch/extension.h>\n" + "".join(kernels) + f"void go(int64_t n) {{ {calls} }}\n"
    )
    assert result.ok, result.output
    assert result.functions == ["go"]
