// Shadow cells of one or two bytes, lossless in about two bytes each: an element of eight bits would else
// have 24 bytes of shadow.  Of 256 neighbours each holds its thread and a number; the number leads to what
// the accesses of a few have in common, a record without a thread.  Where that is more than 63 different
// ones, the neighbours get whole records.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sim {

using Record = uint64_t;
constexpr int kThreadShift = 24;
constexpr Record kThreadMask = 1023;

class FineCells {
 public:
  explicit FineCells(size_t cells) : parts_((cells >> kPartShift) + 1) {}

  Record at(size_t cell) const {
    const Part* const part = parts_[cell >> kPartShift].get();
    if (!part) return 0;
    const size_t i = cell & (kPart - 1);
    if (__builtin_expect(part->whole != nullptr, 0)) return (*part->whole)[i];
    const uint16_t packed = part->packed[i];
    return packed ? part->events[packed & kMostEvents] | Record{packed} >> kEventBits << kThreadShift : 0;
  }

  // Records of times up to `floor` may be forgotten.
  void set(size_t cell, Record r, uint32_t floor) {
    Part* const part = parts_[cell >> kPartShift].get();
    const Record event = r & ~(kThreadMask << kThreadShift);
    if (__builtin_expect(!part || part->events[part->last] != event, 0)) return set_new(cell, r, floor);
    part->packed[cell & (kPart - 1)] = packed(r, part->last);
  }

 private:
  static constexpr int kPartShift = 8, kEventBits = 6;
  static constexpr size_t kPart = size_t{1} << kPartShift;
  static constexpr size_t kMostEvents = (1 << kEventBits) - 1;

  struct Part {
    std::unique_ptr<Record[]> events;  // from 1 on; the first is never met
    uint8_t count = 1, room = 0, last = 0;
    std::unique_ptr<std::array<Record, kPart>> whole;
    std::array<uint16_t, kPart> packed{};  // | thread 10 | number of the event 6 |; 0: never accessed
  };

  static uint16_t packed(Record r, size_t event) {
    return static_cast<uint16_t>((r >> kThreadShift & kThreadMask) << kEventBits | event);
  }
  void set_new(size_t cell, Record r, uint32_t floor);
  static void make_room(Part& part);
  static void forget(Part& part, uint32_t floor);
  void make_whole(Part& part, size_t first);

  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace sim
