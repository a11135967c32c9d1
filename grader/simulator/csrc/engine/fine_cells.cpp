#include "fine_cells.h"

#include <algorithm>

#include "shadow.h"

namespace sim {

void FineCells::set_new(size_t cell, Record r, uint32_t floor) {
  std::unique_ptr<Part>& place = parts_[cell >> kPartShift];
  if (!place) {
    place = std::make_unique<Part>();
    make_room(*place);
  }
  Part& part = *place;
  const size_t i = cell & (kPart - 1);
  if (part.whole) return void((*part.whole)[i] = r);
  const Record event = r & ~(kThreadMask << kThreadShift);
  Record* const begin = part.events.get();
  size_t number = std::find(begin + 1, begin + part.count, event) - begin;
  if (number == part.count) {
    if (part.count > kMostEvents) forget(part, floor);
    if (part.count > kMostEvents) {
      make_whole(part, cell - i);
      return void((*part.whole)[i] = r);
    }
    if (part.count == part.room) make_room(part);
    number = part.count++;
    part.events[number] = event;
  }
  part.last = static_cast<uint8_t>(number);
  part.packed[i] = packed(r, number);
}

// Most parts have few events.
void FineCells::make_room(Part& part) {
  const size_t room = part.room ? std::min<size_t>(part.room * 2, kMostEvents + 1) : 4;
  std::unique_ptr<Record[]> more(new Record[room]());
  std::copy_n(part.events.get(), part.room, more.get());
  part.events = std::move(more);
  part.room = static_cast<uint8_t>(room);
}

// Drops events that no cell has, or that are of an earlier kernel or block.
void FineCells::forget(Part& part, uint32_t floor) {
  std::array<uint16_t, kMostEvents + 1> renamed{};
  uint8_t count = 1;
  for (uint16_t& packed : part.packed) {
    const size_t number = packed & kMostEvents;
    if (!number) continue;
    if (stamp_of(part.events[number]) <= floor) {
      packed = 0;
      continue;
    }
    if (!renamed[number]) renamed[number] = count++;
    packed = static_cast<uint16_t>((packed & ~kMostEvents) | renamed[number]);
  }
  std::unique_ptr<Record[]> kept(new Record[part.room]());
  for (size_t number = 1; number <= kMostEvents; ++number) {
    if (renamed[number]) kept[renamed[number]] = part.events[number];
  }
  part.events = std::move(kept);
  part.count = count;
  part.last = 0;
}

void FineCells::make_whole(Part& part, size_t first) {
  auto whole = std::make_unique<std::array<Record, kPart>>();
  for (size_t i = 0; i < kPart; ++i) (*whole)[i] = at(first + i);
  part.whole = std::move(whole);
  part.events.reset(new Record[1]());  // none is met from now on
  part.count = part.room = 1;
  part.last = 0;
}

}  // namespace sim
