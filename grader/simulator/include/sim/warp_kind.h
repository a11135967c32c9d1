// Names of the collective operations, shared by headers and engine.
#pragma once
#include <stdint.h>

namespace sim {

enum class FenceScope : uint8_t { kBlock, kDevice };

enum class BarrierKind : uint8_t { kSync, kCount, kAnd, kOr };

enum class WarpKind : uint8_t {
  kSync,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kAll,
  kAny,
  kUni,
  kMatchAny,
  kMatchAll,
  kAddInt,
  kMinInt,
  kMaxInt,
  kMinUnsigned,
  kMaxUnsigned,
  kAnd,
  kOr,
  kXor,
};

}  // namespace sim
