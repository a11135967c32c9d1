"""Tensors that are saved, copied, pinned or sent away: what works, and the words where it cannot."""

from __future__ import annotations

import copy
import io
import pickle
from multiprocessing.reduction import ForkingPickler
from types import ModuleType

import pytest
import torch


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


def test_save_and_load_elsewhere(sim: ModuleType) -> None:
    """map_location moves to the other device, and from the CPU; views keep sharing memory."""
    x = torch.arange(6.0, device="sim").view(2, 3)
    for source, location, there in (
        (x, "sim:1", "sim:1"),
        (x.cpu(), "sim", "sim:0"),
        (x, lambda storage, place: storage, "cpu"),
        (x.to("sim:1"), {"sim:1": "sim:0"}, "sim:0"),
    ):
        file = io.BytesIO()
        torch.save({"x": source, "row": source[1]}, file)
        file.seek(0)
        loaded = torch.load(file, map_location=location)
        assert str(loaded["x"].device) == there
        loaded["row"].fill_(7)
        assert loaded["x"].cpu().tolist() == [[0, 1, 2], [7, 7, 7]]


def test_copies_of_tensors_and_modules(sim: ModuleType) -> None:
    """deepcopy and pickle keep device, strides and sharing."""
    x = torch.arange(6.0, device="sim:1").view(2, 3).t()
    for again in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (again.device, again.stride()) == (x.device, x.stride())
        assert torch.equal(again.cpu(), x.cpu())
    net = torch.nn.Linear(3, 2).to("sim")
    assert torch.equal(copy.deepcopy(net)(x.to("sim").t()).cpu(), net(x.to("sim").t()).cpu())


def test_words_for_what_cannot_leave_the_device(sim: ModuleType) -> None:
    """NumPy, DLPack, pinning and shared memory say what they want instead."""
    x = torch.ones(3, device="sim")
    with pytest.raises(TypeError, match=r"can't convert sim:0 device type tensor to numpy. Use Tensor.cpu"):
        x.numpy()
    with pytest.raises(ValueError, match="Unknown device type sim for Dlpack"):
        torch.from_dlpack(x)
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        x.pin_memory()
    with pytest.raises(AttributeError, match="cuda_array_interface"):
        x.__cuda_array_interface__  # noqa: B018 - the attribute raises


def test_tensors_do_not_go_to_other_processes(sim: ModuleType) -> None:
    """multiprocessing cannot send a device tensor, and says what to send."""
    with pytest.raises(RuntimeError, match=r"another process.*\.cpu\(\)"):
        ForkingPickler.dumps(torch.ones(3, device="sim"))


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader_pins(sim: ModuleType, workers: int) -> None:
    """DataLoader(pin_memory=True) gives pinned batches, which copy without waiting."""
    data = torch.utils.data.TensorDataset(torch.arange(6.0))
    loader = torch.utils.data.DataLoader(data, batch_size=3, pin_memory=True, num_workers=workers)
    batches = [batch for (batch,) in loader]
    assert all(batch.is_pinned() for batch in batches)
    assert [batch.to("sim", non_blocking=True).sum().item() for batch in batches] == [3, 12]
