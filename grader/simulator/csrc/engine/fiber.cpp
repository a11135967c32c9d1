#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <vector>

#if defined(__x86_64__)
asm(R"(
.text
.globl sim_switch
.hidden sim_switch
.type sim_switch, @function
sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size sim_switch, .-sim_switch
.globl sim_start
.hidden sim_start
.type sim_start, @function
sim_start:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  xorl %ebp, %ebp
  call *%rdx
  ud2
.size sim_start, .-sim_start
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl sim_switch
.hidden sim_switch
.type sim_switch, %function
sim_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size sim_switch, .-sim_switch
.globl sim_start
.hidden sim_start
.type sim_start, %function
sim_start:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  mov x29, xzr
  blr x2
  brk #1
.size sim_start, .-sim_start
)");
#else
#error "The simulator knows how to switch stacks on x86-64 and aarch64 only."
#endif

namespace sim {
namespace {

std::vector<Fiber*> idle;
size_t made = 0;

// Stacks lie at the same distance from each other, so that their tops would fight for the same few lines of
// every cache: each begins a little lower than the last.
constexpr size_t kColours = 64, kColourBytes = 4 * 64 + 64;

Fiber* make() {
  const size_t guard = sysconf(_SC_PAGESIZE);
  void* p = mmap(nullptr, guard + kStackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  char* const stack = static_cast<char*>(p) + guard;
  if (mprotect(stack, kStackBytes, PROT_READ | PROT_WRITE)) throw std::bad_alloc();
  char* const top = stack + kStackBytes - made++ % kColours * kColourBytes;
  return new Fiber{stack, kStackBytes, top};
}

}  // namespace

Fiber* take_fiber() {
  if (idle.empty()) return make();
  Fiber* const fiber = idle.back();
  idle.pop_back();
  return fiber;
}

void give_fiber(Fiber* fiber) { idle.push_back(fiber); }

size_t fibers_made() { return made; }

}  // namespace sim
