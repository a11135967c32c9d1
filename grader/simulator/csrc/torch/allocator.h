// Memory of tensors: stream-ordered, never cached.
#pragma once
#include <c10/core/Allocator.h>

namespace sim {

struct Stream;

c10::Allocator* device_allocator();
c10::Allocator* pinned_allocator();
// PyTorch's record_stream: the free waits for the work of `stream` too.
void use_on_stream(const c10::DataPtr& pointer, Stream* stream);

}  // namespace sim
