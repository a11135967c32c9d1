// What an operator's schema says about queueing it.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

namespace sim {

struct OperatorTraits {
  std::string name;           // "aten::add.out"
  std::vector<bool> written;  // for each argument
  int writes_if = -1;         // position of the `training` argument that `written` depends on
  std::vector<int> returned;  // for each result: the argument that it is, or -1
  bool makes_view = false;    // a result aliases an argument and nothing is written
  bool host_waits = false;    // a result is no tensor, or its size depends on values: CUDA synchronises too
  bool out_variant = false;
  bool checks_in_place = false;  // it writes to an argument of final size, and may still refuse the others
  bool random = false;
  int generator = -1;               // position of the Generator argument
  bool takes_host_tensors = false;  // CPU tensors of any size are allowed beside device tensors
  bool is_torchs = false;           // an operator of PyTorch, and not one that a learner has registered
};

const OperatorTraits& traits_of(const c10::OperatorHandle& op);

}  // namespace sim
