#include "shadow.h"

#include <sys/mman.h>

#include <map>
#include <new>
#include <vector>

namespace sim {

uint32_t clock_now = 1;

namespace {

constexpr size_t kKeptBytes = 48ull << 20;
constexpr size_t kSmallestPlane = 4096;
constexpr uint32_t kWindAt = kStampMax / 2;

// Planes by size, a power of two.  Their pages hold old records, whose stamps say so.
std::map<size_t, std::vector<void*>> spare;
size_t spare_bytes = 0;

size_t plane_bytes(size_t cells) {
  size_t bytes = kSmallestPlane;
  while (bytes < cells * sizeof(Record)) bytes *= 2;
  return bytes;
}

Record* take_plane(size_t cells) {
  const size_t bytes = plane_bytes(cells);
  std::vector<void*>& fitting = spare[bytes];
  if (!fitting.empty()) {
    void* const plane = fitting.back();
    fitting.pop_back();
    spare_bytes -= bytes;
    return static_cast<Record*>(plane);
  }
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Record*>(p);
}

void give_plane(Record*& plane, size_t cells) {
  if (!plane) return;
  const size_t bytes = plane_bytes(cells);
  if (spare_bytes + bytes > kKeptBytes) {
    munmap(plane, bytes);
  } else {
    spare[bytes].push_back(plane);
    spare_bytes += bytes;
  }
  plane = nullptr;
}

size_t cells_of(size_t bytes, int shift) { return (bytes >> shift) + 1; }

Record*& plane_of(Shadow& s, Plane which) {
  return which == Plane::kWriters ? s.writers : which == Plane::kReaders ? s.readers : s.second_readers;
}

void split_plane(Record*& plane, size_t cells, size_t finer_cells, int by, uint32_t floor) {
  if (!plane) return;
  Record* const finer = take_plane(finer_cells);
  for (size_t i = 0; i < finer_cells; ++i) {
    const Record r = (i >> by) < cells ? plane[i >> by] : 0;
    finer[i] = stamp_of(r) > floor ? r : 0;
  }
  give_plane(plane, cells);
  plane = finer;
}

}  // namespace

void wind_clock() {
  if (clock_now < kWindAt) return;
  for (auto& [bytes, planes] : spare) {
    for (void* plane : planes) munmap(plane, bytes);
  }
  spare.clear();
  spare_bytes = 0;
  clock_now = 1;
}

void need_plane(Shadow& s, size_t bytes, Plane which) {
  s.cells = cells_of(bytes, s.shift);
  Record*& plane = plane_of(s, which);
  if (!plane) plane = take_plane(s.cells);
}

void split_cells(Shadow& s, size_t bytes, int shift) {
  const size_t finer = cells_of(bytes, shift);
  for (const Plane which : {Plane::kWriters, Plane::kReaders, Plane::kSecondReaders})
    split_plane(plane_of(s, which), s.cells, finer, s.shift - shift, s.floor);
  s.cells = finer;
  s.shift = static_cast<uint8_t>(shift);
}

void drop_planes(Shadow& s) {
  for (const Plane which : {Plane::kWriters, Plane::kReaders, Plane::kSecondReaders})
    give_plane(plane_of(s, which), s.cells);
}

}  // namespace sim
