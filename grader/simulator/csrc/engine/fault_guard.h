// The last line of defence while a grid runs: signals that learner code raises end the grid, not the process,
// and so does a kernel that takes too long.
#pragma once
#include <signal.h>
#include <time.h>

namespace sim {

class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  struct sigaction old_[5];
  timer_t timer_;
  bool timed_ = false;
  stack_t old_stack_;
  bool nested_;
};

}  // namespace sim
