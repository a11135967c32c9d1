"""PyTorch on the device `sim`: operators, autograd, two devices, random numbers, errors."""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Callable
from types import ModuleType

import pytest
import torch

Operator = Callable[[torch.Tensor], torch.Tensor]

OPERATORS: dict[str, Operator] = {
    "structured": lambda x: x + 2 * x,
    "unstructured": torch.relu,
    "reduction": lambda x: x.sum(0),
    "broadcast": lambda x: x - x.mean(1, keepdim=True),
    "view": lambda x: x.t()[1:, ::2],
    "contiguous": lambda x: x.t().contiguous(),
    "in place on a view": lambda x: x.clone().t().mul_(3),
    "index": lambda x: x[torch.tensor([2, 0])],
    "mask": lambda x: x[x > 0],
    "nonzero": torch.nonzero,
    "index_put": lambda x: x.clone().index_put_((torch.tensor([1]),), torch.zeros(5)[0]),
    "where": lambda x: torch.where(x > 0, x, -x),
    "cat": lambda x: torch.cat([x, x], 1),
    "stack of views": lambda x: torch.stack(x.unbind(0)),
    "split": lambda x: torch.split(x, 2)[1],
    "matmul": lambda x: x @ x.t(),
    "softmax": lambda x: torch.softmax(x, -1),
    "sort": lambda x: x.sort(1).values,
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, (5,)),
    "convolution": lambda x: torch.nn.functional.conv1d(x[None], torch.ones(2, 4, 3, device=x.device)),
    "attention": lambda x: torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None]),
    "dtype": lambda x: x.to(torch.float16).to(torch.float64),
    "expanded output": lambda x: x[:, :1].expand(4, 5) + 0,
    "foreach": lambda x: torch._foreach_mul([x, x], 2.0)[1],
    "complex": lambda x: torch.view_as_real(torch.fft.fft(x)),
    "conjugate": lambda x: torch.fft.fft(x).conj().imag.clone(),
    "empty": lambda x: x[:0] + 1,
    "scalar": lambda x: torch.tensor(x.sum().item()),
    "linalg": lambda x: torch.linalg.inv(x[:, :4] @ x[:, :4].t() + torch.eye(4, device=x.device)),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_agrees_with_cpu(sim: ModuleType, name: str) -> None:
    """An operator gives on sim what it gives on the CPU, and nothing is reported."""
    torch.manual_seed(0)
    x = torch.randn(4, 5)
    torch.testing.assert_close(OPERATORS[name](x.to("sim")).cpu(), OPERATORS[name](x))
    assert sim.reports() == []


def test_out_argument_is_resized(sim: ModuleType) -> None:
    """An empty `out` takes the result's size; one of another size does so with PyTorch's warning."""
    x = torch.arange(6.0, device="sim").view(2, 3)
    out = torch.empty(0, device="sim")
    torch.add(x, 1, out=out)
    assert out.cpu().tolist() == [[1, 2, 3], [4, 5, 6]]
    other = torch.empty(5, device="sim")
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.add(x, 1, out=other)
    assert other.shape == (2, 3)


def test_out_argument_of_a_size_that_depends_on_values(sim: ModuleType) -> None:
    """`out` of nonzero and its kin takes the size that the values give."""
    x = torch.tensor([3.0, 0.0, -1.0], device="sim")
    found = torch.empty(0, dtype=torch.int64, device="sim")
    torch.nonzero(x, out=found)
    assert found.cpu().tolist() == [[0], [2]]
    chosen = torch.masked_select(x, x > 0, out=torch.empty(0, device="sim"))
    assert chosen.cpu().tolist() == [3.0]


def test_running_statistics_are_updated_once(sim: ModuleType) -> None:
    """Batch normalisation moves its running statistics as far as on the CPU, and in evaluation not."""
    torch.manual_seed(0)
    x, host = torch.randn(8, 3), torch.nn.BatchNorm1d(3)
    net = copy.deepcopy(host).to("sim")
    for _ in range(2):
        torch.testing.assert_close(net(x.to("sim")).cpu(), host(x))
    net.eval(), host.eval()
    torch.testing.assert_close(net(x.to("sim")).cpu(), host(x))
    torch.testing.assert_close(net.running_mean.cpu(), host.running_mean)
    torch.testing.assert_close(net.running_var.cpu(), host.running_var)


def test_shape_error_is_raised_at_the_call(sim: ModuleType) -> None:
    """Operands that do not fit raise where they are used, not when the work runs."""
    x = torch.zeros(3, device="sim")
    with pytest.raises(RuntimeError, match="must match the size"):
        x + torch.zeros(4, device="sim")
    with pytest.raises(RuntimeError, match="shape mismatch|could not be broadcast"):
        x.index_put_((torch.tensor([0, 1], device="sim"),), torch.zeros(3, device="sim"))


def test_backward_runs_on_the_device(sim: ModuleType) -> None:
    """Gradients of a small network agree with the CPU's."""
    torch.manual_seed(1)
    net = torch.nn.Sequential(
        torch.nn.Conv1d(2, 3, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(9, 1)
    )
    x = torch.randn(4, 2, 5)
    net(x).square().sum().backward()
    expected = [parameter.grad.clone() for parameter in net.parameters()]
    net.zero_grad()
    net.to("sim")(x.to("sim")).square().sum().backward()
    for parameter, gradient in zip(net.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad.cpu(), gradient)


class Square(torch.autograd.Function):
    """x squared, with a gradient that `factor` makes right (2) or wrong."""

    @staticmethod
    def forward(ctx, x, factor):  # noqa: D102
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x

    @staticmethod
    def backward(ctx, gradient):  # noqa: D102
        (x,) = ctx.saved_tensors
        return ctx.factor * x * gradient, None


@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck(sim: ModuleType, fast: bool) -> None:
    """gradcheck passes a right backward on sim and fails a wrong one."""
    x = torch.randn(4, dtype=torch.float64, device="sim", requires_grad=True)
    assert torch.autograd.gradcheck(Square.apply, (x, 2), fast_mode=fast)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        torch.autograd.gradcheck(Square.apply, (x, 3), fast_mode=fast)


@pytest.mark.parametrize("mix", [lambda a, b: a + b, lambda a, b: torch.where(a > 0, a, b), torch.mv])
def test_mixed_devices_are_refused(
    sim: ModuleType, mix: Callable[[torch.Tensor, torch.Tensor], object]
) -> None:
    """A CPU tensor among sim tensors raises in CUDA's words, and so does one of the other device."""
    a = torch.ones(3, 3, device="sim")
    for b in (torch.ones(3), torch.ones(3, device="sim:1")):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            mix(a, b)


def test_operator_without_device_kernel_is_refused(sim: ModuleType) -> None:
    """An operator that a learner registers for the CPU alone does not run on sim by accident."""
    with torch.library._scoped_library("backend_test", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CPU")
        assert torch.ops.backend_test.twice(torch.ones(1)).item() == 2
        with pytest.raises(NotImplementedError, match="backend_test::twice"):
            torch.ops.backend_test.twice(torch.ones(1, device="sim"))


def test_seed_decides_random_numbers(sim: ModuleType) -> None:
    """torch.manual_seed seeds sim, the state can be put back, and two draws differ."""
    torch.manual_seed(5)
    first, second = torch.randn(8, device="sim").cpu(), torch.randn(8, device="sim").cpu()
    assert not torch.equal(first, second)
    torch.manual_seed(5)
    state = torch.sim.get_rng_state()
    assert torch.equal(torch.randn(8, device="sim").cpu(), first)
    torch.sim.set_rng_state(state)
    assert torch.equal(torch.randn(8, device="sim").cpu(), first)


def test_random_numbers_do_not_depend_on_when_they_run(sim: ModuleType) -> None:
    """A draw that waits in the queue leaves the CPU's numbers alone and keeps its own."""
    torch.manual_seed(6)
    host = torch.rand(3)
    torch.manual_seed(6)
    lazy = torch.nn.functional.dropout(torch.ones(64, device="sim"))
    assert torch.equal(torch.rand(3), host)
    assert sorted(set(lazy.cpu().tolist())) == [0.0, 2.0]


def test_generator_of_the_device(sim: ModuleType) -> None:
    """torch.Generator(device="sim") draws reproducibly; a CPU generator is refused."""
    a = torch.rand(4, device="sim", generator=torch.Generator(device="sim").manual_seed(1))
    b = torch.rand(4, device="sim", generator=torch.Generator(device="sim").manual_seed(1))
    assert torch.equal(a.cpu(), b.cpu())
    with pytest.raises(RuntimeError, match="Expected a 'sim'"):
        torch.rand(4, device="sim", generator=torch.Generator())


def test_two_devices(sim: ModuleType) -> None:
    """Tensors know their device, copies go between devices, and a scope makes one current."""
    a = torch.arange(3.0, device="sim:0")
    b = a.to("sim:1")
    assert (b.device.index, (b + 1).device.index) == (1, 1)
    assert b.cpu().tolist() == [0, 1, 2]
    with torch.sim.device(1):
        assert torch.accelerator.current_device_index() == 1
        assert torch.empty(1, device="sim").device.index == 1
    assert torch.accelerator.current_device_index() == 0
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.empty(1, device="sim:2")


def test_accelerator_interface(sim: ModuleType) -> None:
    """torch.accelerator speaks of sim."""
    assert torch.accelerator.current_accelerator() == torch.device("sim")
    assert torch.accelerator.device_count() == 2
    stream = torch.Stream(device="sim")
    torch.accelerator.set_stream(stream)
    assert torch.accelerator.current_stream() == stream
    torch.accelerator.set_stream(torch.sim.default_stream())
    assert torch.accelerator.current_stream().stream_id == 0


def test_fresh_memory_is_poisoned(sim: ModuleType) -> None:
    """torch.empty holds NaN, so that nothing computed from it can pass for a result."""
    assert torch.empty(64, device="sim").cpu().isnan().all()
    assert torch.empty(64, device="sim", dtype=torch.float16).cpu().isnan().all()


def test_memory_is_returned(sim: ModuleType) -> None:
    """Dropping a tensor frees its bytes once the queued work that uses it has run."""
    before = sim.memory()["devices"][0]["bytes_in_use"]
    x = torch.ones(1 << 16, device="sim")
    y = x + 1
    del x, y
    torch.accelerator.synchronize()
    assert sim.memory()["devices"][0]["bytes_in_use"] == before


def test_addresses_do_not_run_out(sim: ModuleType) -> None:
    """More allocations than the kernel allows a process mappings can be made and dropped."""
    for _ in range(80_000):
        torch.empty(1, device="sim")
    torch.accelerator.synchronize()
    with open("/proc/self/maps") as maps:
        assert sum(1 for _ in maps) < 30_000


def test_kinds_of_tensors_that_the_device_lacks(sim: ModuleType) -> None:
    """Sparse and quantised tensors are refused at the call, in words."""
    x = torch.ones(2, 2, device="sim")
    with pytest.raises(NotImplementedError, match="strided tensors only"):
        x.to_sparse()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch is about to drop them
        with pytest.raises(NotImplementedError, match="no quantised tensors"):
            torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
    assert (x + 1).sum().item() == 8


def test_device_is_full(sim: ModuleType) -> None:
    """More memory than the device has raises out of memory and says how much was asked for."""
    with pytest.raises(torch.OutOfMemoryError, match="Tried to allocate"):
        torch.empty(1 << 42, device="sim")


def test_dispatch_log_names_operators(sim: ModuleType) -> None:
    """The log holds what ran on the device since it was read, and no more."""
    sim.dispatch_log()
    torch.relu(torch.ones(2, device="sim"))
    assert "aten::relu" in sim.dispatch_log()
    assert sim.dispatch_log() == []


def test_index_out_of_range_is_an_error(sim: ModuleType) -> None:
    """An index that is out of range raises, whether its value is known when it is used or not."""
    table = torch.ones(3, 2, device="sim")
    with pytest.raises((RuntimeError, IndexError)):
        torch.nn.functional.embedding(torch.tensor([1, 9], device="sim"), table).cpu()


def test_autocast_casts_what_it_casts_on_cuda(sim: ModuleType) -> None:
    """Products run in the type asked for, sums in float32, and a gradient has its parameter's type."""
    x = torch.full((2, 2), 1.001, device="sim", requires_grad=True)
    with torch.autocast("sim", dtype=torch.bfloat16):
        product = x @ x
        assert product.dtype == torch.bfloat16
        assert product.sum().dtype == torch.softmax(product, 0).dtype == torch.float32
        assert (product * 2).dtype == torch.bfloat16
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            torch.nn.functional.binary_cross_entropy(torch.sigmoid(x), x.detach())
    product.sum().backward()
    assert x.grad.dtype == torch.float32
    assert product.float().cpu().tolist() == [[2.0, 2.0]] * 2
    assert (x @ x).dtype == torch.float32


def test_autocast_refuses_a_type_that_it_cannot_have(sim: ModuleType) -> None:
    """Asking for float64 warns and turns autocast off."""
    with (
        pytest.warns(UserWarning, match="float64|dtype is not supported"),
        torch.autocast("sim", dtype=torch.float64),
    ):
        assert not torch.is_autocast_enabled("sim")


@pytest.mark.filterwarnings("ignore")  # of torch.compile's own modules
def test_compile(sim: ModuleType) -> None:
    """torch.compile traces functions of sim tensors; Inductor says why it generates nothing for them."""
    x = torch.randn(8, device="sim")
    for backend in ("eager", "aot_eager"):
        compiled = torch.compile(lambda x: torch.relu(x * 2) + 1, backend=backend)
        assert torch.equal(compiled(x).cpu(), (torch.relu(x * 2) + 1).cpu())
    with pytest.raises(RuntimeError, match="Use torch.compile.*aot_eager"):
        torch.compile(lambda x: torch.relu(x * 2))(x)
    assert not hasattr(torch.sim, "no_such_thing")


def test_memory_statistics(sim: ModuleType) -> None:
    """torch.accelerator counts what tensors hold, and the peak; nothing is cached."""
    torch.accelerator.synchronize()
    before = torch.accelerator.memory_allocated()
    x = torch.empty(1 << 20, device="sim")
    assert torch.accelerator.memory_allocated() - before == x.nbytes
    del x
    torch.accelerator.empty_cache()
    assert torch.accelerator.memory_allocated() == before
    assert torch.accelerator.max_memory_allocated() >= before + (4 << 20)
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.max_memory_allocated() == before
    assert torch.accelerator.memory_reserved() == before


def test_printing(sim: ModuleType) -> None:
    """Tensors print with values and device, whatever their type, size or layout."""
    x = torch.arange(6.0, device="sim").view(2, 3)
    assert repr(x[0]) == "tensor([0., 1., 2.], device='sim:0')"
    assert repr(x.t()[0].long()) == "tensor([0, 3], device='sim:0')"
    assert repr(x[0] > 1) == "tensor([False, False,  True], device='sim:0')"
    assert repr(x[0, :1] + 2j) == "tensor([0.+2.j], device='sim:0')"
    assert repr(x[:0]) == "tensor([], device='sim:0', size=(0, 3))"
    assert "..." in repr(torch.zeros(5000, device="sim"))
    assert f"{x.sum():.1f}" == "15.0"
    assert "grad_fn=<MulBackward0>" in repr(x.requires_grad_() * 2)
    assert repr(torch.empty(2, device="sim:1", dtype=torch.int8)).endswith(
        "device='sim:1', dtype=torch.int8)"
    )


def test_fork_rng(sim: ModuleType) -> None:
    """fork_rng puts the device's random numbers back."""
    torch.manual_seed(4)
    with torch.random.fork_rng(devices=range(2), device_type="sim"):
        inside = [torch.rand(3, device=f"sim:{n}").cpu() for n in range(2)]
    outside = [torch.rand(3, device=f"sim:{n}").cpu() for n in range(2)]
    assert all(torch.equal(a, b) for a, b in zip(inside, outside, strict=True))


def test_views_and_changes_in_place(sim: ModuleType) -> None:
    """A change through a view, a diagonal, a slice or a complex part is seen in its base."""
    x = torch.zeros(3, 4, device="sim")
    x[1:, ::2].add_(1)
    x.diagonal().fill_(5)
    x.t()[3].copy_(torch.tensor([7.0, 8.0, 9.0]))
    x[x == 1] = -1
    assert x.cpu().tolist() == [[5, 0, 0, 7], [-1, 5, -1, 8], [-1, 0, 5, 9]]
    z = torch.zeros(2, dtype=torch.complex64, device="sim")
    z.imag.fill_(2)
    torch.view_as_real(z)[0, 0] = 3
    assert z.conj().cpu().tolist() == [3 - 2j, -2j]
    assert z.conj()._is_view()
    assert x.untyped_storage().data_ptr() == x[1:].untyped_storage().data_ptr()


def test_change_of_what_backward_needs_is_refused(sim: ModuleType) -> None:
    """Autograd counts versions on the device too."""
    x = torch.ones(3, device="sim", requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.bool, torch.complex128]
)
def test_types(sim: ModuleType, dtype: torch.dtype) -> None:
    """Sums, products and comparisons of other types are the CPU's, overflow included."""
    x = torch.tensor([0, 1, 100, 200], dtype=torch.float64).to(dtype)
    on_sim = x.to("sim")
    for call in (
        lambda x: x + x,
        lambda x: x * x,
        lambda x: x.sum(),
        lambda x: x == x[1],
        lambda x: x.bool(),
    ):
        assert torch.equal(call(on_sim).cpu(), call(x))


def test_tensors_without_elements(sim: ModuleType) -> None:
    """Empty tensors go through operators, copies, reductions and backward."""
    x = torch.empty(0, 3, device="sim", requires_grad=True)
    assert (x @ torch.ones(3, 2, device="sim")).shape == (0, 2)
    assert x.sum().item() == 0
    x.sum().backward()
    assert x.grad.shape == (0, 3)
    assert torch.cat([x, x]).cpu().shape == (0, 3)
    assert x.to("sim:1").shape == (0, 3)
    assert sim.reports() == []


def test_more_than_two_billion_elements(sim: ModuleType) -> None:
    """A tensor of more than 2^31 elements is made and indexed at its end; untouched pages cost nothing."""
    size = 2**31 + 8
    x = torch.empty(size, dtype=torch.int8, device="sim")
    x[-3:].fill_(7)
    assert x[size - 4 :].cpu().tolist()[1:] == [7, 7, 7]


def test_threads_share_the_device(sim: ModuleType) -> None:
    """Forward and backward from several host threads at once give right gradients."""

    def work() -> None:
        for _ in range(20):
            x = torch.ones(4, device="sim", requires_grad=True)
            (x * 3).sum().backward()
            gradients.append(x.grad.cpu().tolist())

    gradients: list[list[float]] = []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gradients == [[3.0] * 4] * 80
