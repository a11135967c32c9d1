"""PyTorch on the device `sim`: operators, autograd, two devices, random numbers, errors."""

from __future__ import annotations

import copy
import io
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


def test_save_and_load(sim: ModuleType) -> None:
    """A saved sim tensor comes back on sim, or on the CPU if asked."""
    x = torch.arange(6.0, device="sim").view(2, 3).t()
    file = io.BytesIO()
    torch.save(x, file)
    for location in (None, "cpu"):
        file.seek(0)
        loaded = torch.load(file, map_location=location)
        assert loaded.device.type == (location or "sim")
        assert torch.equal(loaded.cpu(), x.cpu())


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


def test_autocast_is_harmless(sim: ModuleType) -> None:
    """Under autocast operators run as they are: the device casts nothing."""
    with torch.autocast("sim", dtype=torch.bfloat16):
        assert (torch.ones(2, 2, device="sim") @ torch.ones(2, device="sim")).cpu().tolist() == [2, 2]


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
