// Prefix sums over tiles and coalesced threads.
#pragma once
#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation = plus<T>>
T inclusive_scan(const Group& group, T value, Operation operation = {}, SIM_LINE) {
  T total = value;
  bool begun = false;
  for (unsigned rank = 0; rank < group.size(); ++rank) {
    const T theirs = group.shfl(value, rank, line);
    if (rank > group.thread_rank()) continue;
    total = begun ? operation(total, theirs) : theirs;
    begun = true;
  }
  return total;
}

// The first thread gets T().
template <class Group, class T, class Operation = plus<T>>
T exclusive_scan(const Group& group, T value, Operation operation = {}, SIM_LINE) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation, line), 1, line);
  return group.thread_rank() ? before : T();
}

}  // namespace cooperative_groups
