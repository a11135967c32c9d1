// Operations of cooperative groups, and reductions over tiles and coalesced threads.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Every thread of the group gets the result.
template <class Group, class T, class Operation>
T reduce(const Group& group, T value, Operation operation, SIM_LINE) {
  T total = group.shfl(value, 0, line);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    total = operation(total, group.shfl(value, rank, line));
  return total;
}

}  // namespace cooperative_groups
