// What generated code calls: the launch syntax, shared variables, symbols, barriers and warp operations.
#include "../../include/sim/kernel.h"

#include <unwind.h>

#include <cstring>
#include <stdexcept>

#include "../../include/sim/collective.h"
#include "../../include/sim/shared.h"
#include "../../include/sim/symbol.h"
#include "access.h"
#include "arena.h"
#include "grid.h"
#include "stream.h"

#define HERE __builtin_return_address(0)

namespace sim {
namespace {

thread_local Configured* pending = nullptr;

Dim3 plain(const Extent& e) { return {e.x, e.y, e.z}; }

[[noreturn]] void refuse(const char* kernel, const char* why) {
  throw std::runtime_error(std::string(kernel) + why);
}

Block& block_of(const char* what) {
  if (!running.on_device) refuse(what, " was called outside a kernel");
  return *running.block;
}

}  // namespace

Configured::Configured(int line, Extent grid, Extent block, size_t dynamic_shared_bytes, void* stream)
    : line_(line),
      grid_(grid),
      block_(block),
      dynamic_shared_bytes_(dynamic_shared_bytes),
      stream_(stream),
      outer_(pending) {
  pending = this;
}

Configured::~Configured() {
  if (pending == this) pending = outer_;
}

void expect_launch(const KernelName& kernel) {
  if (running.on_device)
    refuse(kernel.name, " was launched by a kernel: the simulator has no dynamic parallelism");
  if (!pending) refuse(kernel.name, " was called without <<<grid, block>>>");
}

void enqueue(const KernelName& kernel, const void* return_address, const Argument* arguments, size_t count,
             KernelBody body) {
  expect_launch(kernel);
  Configured& c = *pending;
  pending = c.outer_;
  Launch l;
  l.kernel = kernel.name;
  l.line = c.line_;
  l.most_threads = kernel.most_threads;
  l.function = _Unwind_FindEnclosingFunction(const_cast<void*>(before(return_address)));
  l.grid = plain(c.grid_);
  l.block = plain(c.block_);
  l.dynamic_shared_bytes = c.dynamic_shared_bytes_;
  l.device = current_device();
  l.stream = resolve(c.stream_);
  l.current = current_stream(l.stream ? l.stream->device : l.device);
  l.arguments.assign(arguments, arguments + count);
  l.body = {body.run, std::move(body.closure), body.closure_bytes};
  launch(std::move(l));
}

void* shared_variable(const SharedSlot* slot, size_t bytes, uint32_t element_bytes) {
  return block_of(slot->name).shared().variable(*slot, bytes, element_bytes);
}

void* dynamic_shared_memory(const char* name, int, uint32_t element_bytes) {
  return block_of(name).shared().dynamic(name, element_bytes);
}

void* make_symbol(const SymbolSlot& slot, const void* initial, size_t bytes, uint32_t element_bytes) {
  EngineLock lock;
  void* const base = allocate_region(kOnChip, bytes, Origin::kSymbol, nullptr);
  if (!base) throw std::bad_alloc();
  name_allocation(base, slot.name, element_bytes);
  memcpy(base, initial, bytes);
  mark_initialised(base, bytes);
  return base;
}

int block_barrier(BarrierKind kind, int predicate, int line) {
  Block::hand_on(block_of("__syncthreads").arrive(kind, predicate, line, before(HERE)));
  return kind == BarrierKind::kSync ? 0 : running.block->verdict(kind);
}

uint64_t warp_collective(WarpKind kind, uint32_t mask, uint64_t value, int argument, int width, int line) {
  Block& block = block_of("a warp operation");
  Block::hand_on(block.meet(kind, mask, value, argument, width, line, before(HERE)));
  return block.answer().result;
}

void thread_fence(FenceScope scope) {
  if (!running.on_device) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  running.fenced = true;
  running.block->ordering().fence(running.thread, scope);
  running.block->renew();
}

uint32_t active_mask(int line) { return block_of("__activemask").active_mask(line, before(HERE)); }

bool warp_agreed() { return block_of("__match_all_sync").answer().agreed; }

Space space_of(const void* p) {
  if (running.on_device && reinterpret_cast<uintptr_t>(p) - running.stack < running.stack_bytes)
    return Space::kLocal;
  const Allocation* const a = owns(p) ? find(p) : nullptr;
  return !a ? Space::kOther : a->origin == Origin::kShared ? Space::kShared : Space::kGlobal;
}

uint32_t lane_id() { return running.thread % 32; }

void trap() {
  Report r = here("trap", before(HERE));
  r.message = "the kernel executes a trap";
  report(r);
  if (running.on_device) abandon(kLaunchFailure, r.message);
  __builtin_trap();
}

void pause_thread() { maybe_give_way(HERE); }

}  // namespace sim
