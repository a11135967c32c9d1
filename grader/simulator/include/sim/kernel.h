// The launch syntax after the front end: `(::sim::Configured(line, grid, block, ...), k(args))`.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <utility>

#include "../vector_types.h"
#include "argument.h"

namespace sim {

struct KernelName {
  const char* name;
  int line;
  int most_threads = 0;  // of a block, as __launch_bounds__ says; 0: no bound
};

// A dim3 that crosses into the runtime.
struct Extent {
  uint32_t x, y, z;
  Extent(const dim3& d) : x(d.x), y(d.y), z(d.z) {}
};

// One thread's run.  `run` copies the closure first, so that each thread has its own parameters.
struct KernelBody {
  void (*run)(const void* closure);
  std::shared_ptr<const void> closure;
  size_t closure_bytes;
};

// The part between <<< and >>>.  Waits for the kernel of the same full expression; dropped when an argument
// throws.
class Configured {
 public:
  Configured(int line, dim3 grid, dim3 block, size_t dynamic_shared_bytes = 0, void* stream = nullptr)
      : Configured(line, Extent(grid), Extent(block), dynamic_shared_bytes, stream) {}
  ~Configured();
  Configured(const Configured&) = delete;
  Configured& operator=(const Configured&) = delete;

 private:
  friend void enqueue(const KernelName&, const void*, const Argument*, size_t, KernelBody);
  Configured(int line, Extent grid, Extent block, size_t dynamic_shared_bytes, void* stream);

  int line_;
  Extent grid_, block_;
  size_t dynamic_shared_bytes_;
  void* stream_;
  Configured* outer_;
};

// `return_address` lies in the kernel's host stub, which is how cudaFuncSetAttribute names the kernel.
void enqueue(const KernelName& kernel, const void* return_address, const Argument* arguments, size_t count,
             KernelBody body);

// Throws unless a launch is pending, before anything is allocated: a kernel that calls a kernel is on the
// device.
void expect_launch(const KernelName& kernel);

namespace detail {

template <class F>
__attribute__((no_sanitize("thread"))) void run_copy(const void* closure) {
  F mine(*static_cast<const F*>(closure));
  mine();
}

}  // namespace detail

template <class A, class F>
__attribute__((noinline)) void kernel(KernelName name, const A& arguments, F body) {
  expect_launch(name);
  enqueue(name, __builtin_return_address(0), arguments.data(), arguments.size(),
          {&detail::run_copy<F>, std::make_shared<F>(std::move(body)), sizeof(F)});
}

}  // namespace sim
