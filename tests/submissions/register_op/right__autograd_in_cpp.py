@torch.library.register_fake("course::add_relu")
def fake(a, b):
    torch._check(a.shape == b.shape)
    return torch.empty_like(a, memory_format=torch.contiguous_format)
