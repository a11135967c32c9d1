// While a task runs, CPU kernels must see neither autograd nor modes of whoever happens to synchronise.
#pragma once
#include <c10/core/DispatchKeySet.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace sim {

class WithoutDispatch {
 public:
  WithoutDispatch()
      : keys_(c10::DispatchKeySet(c10::DispatchKey::BackendSelect),
              c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset) {}

 private:
  c10::impl::ForceDispatchKeyGuard keys_;
  c10::AutoGradMode grad_{false};
};

}  // namespace sim
