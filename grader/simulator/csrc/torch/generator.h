// Random numbers: a generator holds a seed and counts the draws; every random operation gets a seed of its
// own.
#pragma once
#include <ATen/core/Generator.h>

namespace sim {

const at::Generator& default_generator(int device);
at::Generator new_generator(int device);
// The seed of the next random operation.  `generator` may be undefined: then the device's default one is
// used.
uint64_t draw_seed(const std::optional<at::Generator>& generator, int device);

}  // namespace sim
