// Shadow cells: which thread accessed a piece of device memory last, and when.  One word a cell.
#pragma once
#include <cstddef>
#include <cstdint>

#include "fine_cells.h"

namespace sim {

// | stamp 30 | thread in its block 10 | flags 4 | place in the module's code 20 |; 0: never accessed.
// Each value of the clock belongs to one block, so that a stamp also tells the block (grid.h).
constexpr int kStampShift = 34, kWarpShift = 29;
constexpr uint32_t kStampMax = (1u << 30) - 1;
constexpr Record kAtomicFlag = 1 << 23, kVolatileFlag = 1 << 22;
constexpr Record kStrong = kAtomicFlag | kVolatileFlag;
// Of a reader: the cell's second reader counts too.  It is another lane of the warp (a pair), or of another
// warp or block (many): then every writer that no barrier orders races with one of the two.
constexpr Record kPair = 1 << 21, kMany = 1 << 20, kSecondCounts = kPair | kMany;
constexpr Record kCodeMask = (1 << 20) - 1;

inline uint32_t stamp_of(Record r) { return static_cast<uint32_t>(r >> kStampShift); }
inline uint32_t thread_of(Record r) { return static_cast<uint32_t>(r >> kThreadShift & kThreadMask); }

// The cells of one kind.  Those of four bytes and more are whole records; old ones are recognised by their
// stamps, so nothing is ever cleared.
struct Plane {
  Record* cells = nullptr;
  FineCells* fine = nullptr;

  explicit operator bool() const { return cells || fine; }
  Record at(size_t cell) const { return cells ? cells[cell] : fine->at(cell); }
  void set(size_t cell, Record r, uint32_t floor) {
    cells ? void(cells[cell] = r) : fine->set(cell, r, floor);
  }

  // The same where the size of a cell is known.
  template <size_t kBytes>
  bool has() const {
    return kBytes < 4 ? fine != nullptr : cells != nullptr;
  }
  template <size_t kBytes>
  Record at(size_t cell) const {
    if constexpr (kBytes < 4) return fine->at(cell);
    return cells[cell];
  }
  template <size_t kBytes>
  void set(size_t cell, Record r, uint32_t floor) {
    if constexpr (kBytes < 4) return fine->set(cell, r, floor);
    cells[cell] = r;
  }
};

// Of one allocation while a grid uses it.  Planes have a cell for every 2^shift bytes, and come when they are
// needed.
struct Shadow {
  Plane writers, readers, second_readers;
  size_t cells = 0;
  uint32_t floor = 0;       // records up to here are of an earlier kernel or block
  uint32_t last_write = 0;  // by anyone
  uint8_t shift = 2;
  bool shared = false;
};

// Counts what orders accesses: barriers, fences, changes of the running block.  Never goes back while a plane
// is in use.
extern __attribute__((visibility("hidden"))) uint32_t clock_now;
inline void tick() { clock_now += clock_now < kStampMax; }
// Before a grid: starts anew, with fresh planes, when the clock has come far.
void wind_clock();

void need_plane(Shadow& shadow, size_t bytes, Plane Shadow::*which);
// Makes cells of 2^shift bytes out of larger ones.
void split_cells(Shadow& shadow, size_t bytes, int shift);
// At the end of a grid: the planes may serve another allocation.
void drop_planes(Shadow& shadow);

}  // namespace sim
