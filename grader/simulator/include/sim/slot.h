// The identity of a variable in device or shared memory: its name and the line that declares it.
#pragma once

namespace sim {

struct SharedSlot {
  const char* name;
  int line;
};

struct SymbolSlot {
  const char* name;
  int line;
};

}  // namespace sim
