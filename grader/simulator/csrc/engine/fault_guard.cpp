#include "fault_guard.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "grid.h"
#include "running.h"

namespace sim {
namespace {

constexpr int kFaults = 4;
// The last one is the watch's, a real-time signal that nothing else here uses.
int signal_number(int i) {
  const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGRTMIN + 5};
  return numbers[i];
}
constexpr size_t kEmergencyStack = 256 * 1024;

constexpr uintptr_t kNearStack = 4 << 20;  // below a stack: a large local array reached it

// Filled by the handler, used by `after_signal` on a stack of its own: the fiber's may be exhausted.
struct Caught {
  int number;
  const void* pc;
  uintptr_t address;
};
Caught caught;
char* emergency = nullptr;
bool inside = false;
double grid_seconds = 20;

const char* kind_of(int number) {
  switch (number) {
    case SIGFPE:
      return "division_by_zero";
    case SIGILL:
      return "trap";
    default:
      return "illegal_address";
  }
}

std::string message_of(const Caught& what) {
  if (what.number == SIGFPE) return "an integer is divided by zero: the result is undefined";
  if (what.number == SIGILL) return "the kernel executes a trap";
  if (running.stack - what.address <= kNearStack) return "the thread's local memory is used up";
  return "the address is no device memory";
}

[[noreturn]] void after_signal() {
  Report r = here(kind_of(caught.number), caught.pc);
  r.message = message_of(caught);
  report(r);
  abandon(caught.number == SIGILL ? kLaunchFailure : kIllegalAddress, r.message);
}

void set_registers(ucontext_t* context, uintptr_t stack, void (*to)()) {
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(stack - 8);  // as after a call
  context->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(to);
#else
  context->uc_mcontext.sp = stack;
  context->uc_mcontext.pc = reinterpret_cast<uintptr_t>(to);
#endif
}

const void* pc_of(const ucontext_t* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context->uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(context->uc_mcontext.pc);
#endif
}

void handle(int number, siginfo_t* info, void* context) {
  if (!running.on_device) {
    signal(number, SIG_DFL);  // not a kernel's fault: happens again and ends the process
    return;
  }
  ucontext_t* const machine = static_cast<ucontext_t*>(context);
  caught = {number, pc_of(machine), reinterpret_cast<uintptr_t>(info->si_addr)};
  set_registers(machine, reinterpret_cast<uintptr_t>(emergency) + kEmergencyStack, after_signal);
}

[[noreturn]] void after_timeout() {
  Report r = here("deadlock", caught.pc);
  r.message = "the kernel has not ended in " + std::to_string(grid_seconds).substr(0, 4) + " s: time-out";
  report(r);
  abandon(kLaunchTimeout, r.message);
}

// Only learner code is interrupted: the runtime may hold locks, so then the watch looks again a little later.
void handle_timeout(int number, siginfo_t*, void* context) {
  ucontext_t* const machine = static_cast<ucontext_t*>(context);
  const void* const pc = pc_of(machine);
  if (!running.on_device || !running.grid->is_module_code(reinterpret_cast<uintptr_t>(pc))) return;
  caught = {number, pc, 0};
  set_registers(machine, reinterpret_cast<uintptr_t>(emergency) + kEmergencyStack, after_timeout);
}

timespec duration(double seconds) {
  const time_t whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

// Counts this thread's CPU time, so that a busy machine gives no time-outs.
bool start_watch(timer_t* timer) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number(kFaults);
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer)) return false;
  const itimerspec when{duration(0.001), duration(grid_seconds)};
  return timer_settime(*timer, 0, &when, nullptr) == 0;
}

char* map_stack(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

}  // namespace

void set_grid_seconds(double seconds) { grid_seconds = seconds; }

FaultGuard::FaultGuard() : nested_(inside) {
  if (nested_) return;
  inside = true;
  constexpr size_t kSignalStack = 64 * 1024;
  static char* const signal_stack = map_stack(kSignalStack);
  if (!emergency) emergency = map_stack(kEmergencyStack);
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = kSignalStack;
  sigaltstack(&stack, &old_stack_);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int i = 0; i < kFaults; ++i) sigaction(signal_number(i), &action, &old_[i]);
  action.sa_sigaction = handle_timeout;
  action.sa_flags |= SA_RESTART;
  sigaction(signal_number(kFaults), &action, &old_[kFaults]);
  timed_ = start_watch(&timer_);
}

FaultGuard::~FaultGuard() {
  if (nested_) return;
  if (timed_) timer_delete(timer_);
  for (int i = 0; i <= kFaults; ++i) sigaction(signal_number(i), &old_[i], nullptr);
  sigaltstack(&old_stack_, nullptr);
  inside = false;
}

}  // namespace sim
