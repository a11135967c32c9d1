// fine_cells SEED EVENTS: FineCells beside plain records, with so many different accesses at a time; prints the
// number of cells that differ.
#include "fine_cells.h"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "shadow.h"

int main(int, char** arguments) {
  std::mt19937 random(static_cast<unsigned>(atoi(arguments[1])));
  const uint32_t events = static_cast<uint32_t>(atoi(arguments[2]));
  constexpr size_t kCells = 1000;
  sim::FineCells fine(kCells);
  std::vector<sim::Record> plain(kCells);
  uint32_t floor = 0;
  long differ = 0;
  for (uint32_t step = 0; step < 200000; ++step) {
    const uint32_t now = 1 + step / 100;
    if (step % 40000 == 39999) floor = now;
    const size_t cell = random() % kCells;
    const sim::Record stamp = floor + 1 + random() % events, thread = random() % 1024, code = random() % 3;
    const sim::Record r = stamp << sim::kStampShift | thread << sim::kThreadShift | code;
    plain[cell] = r;
    fine.set(cell, r, floor);
    const size_t look = random() % kCells;
    const bool lives = sim::stamp_of(plain[look]) > floor;
    differ += lives ? fine.at(look) != plain[look] : sim::stamp_of(fine.at(look)) > floor;
  }
  printf("%ld\n", differ);
}
