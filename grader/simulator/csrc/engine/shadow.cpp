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
size_t spare_bytes = 0, used_bytes = 0;

void drop_spare() {
  for (auto& [bytes, planes] : spare) {
    for (void* plane : planes) munmap(plane, bytes);
  }
  spare.clear();
  spare_bytes = 0;
}

size_t plane_bytes(size_t cells) {
  size_t bytes = kSmallestPlane;
  while (bytes < cells * sizeof(Record)) bytes *= 2;
  return bytes;
}

Record* take_plane(size_t cells) {
  const size_t bytes = plane_bytes(cells);
  used_bytes += bytes;
  const auto fitting = spare.find(bytes);
  if (fitting != spare.end() && !fitting->second.empty()) {
    void* const plane = fitting->second.back();
    fitting->second.pop_back();
    spare_bytes -= bytes;
    return static_cast<Record*>(plane);
  }
  if (used_bytes + spare_bytes > kKeptBytes) drop_spare();
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Record*>(p);
}

void give_plane(Plane& plane, size_t cells) {
  delete plane.fine;
  if (plane.cells) {
    const size_t bytes = plane_bytes(cells);
    used_bytes -= bytes;
    if (used_bytes + spare_bytes + bytes > kKeptBytes) {
      munmap(plane.cells, bytes);
    } else {
      spare[bytes].push_back(plane.cells);
      spare_bytes += bytes;
    }
  }
  plane = {};
}

size_t cells_of(size_t bytes, int shift) { return (bytes >> shift) + 1; }

Plane make_plane(size_t cells, int shift) {
  Plane made;
  if (shift < 2) {
    made.fine = new FineCells(cells);
  } else {
    made.cells = take_plane(cells);
  }
  return made;
}

// Old records need not be split: their stamps say so.
void split_plane(Plane& plane, const Shadow& s, size_t finer_cells, int shift) {
  if (!plane) return;
  Plane finer = make_plane(finer_cells, shift);
  for (size_t i = 0; i < finer_cells; ++i) {
    const size_t from = i >> (s.shift - shift);
    const Record r = from < s.cells ? plane.at(from) : 0;
    if (stamp_of(r) > s.floor) {
      finer.set(i, r, s.floor);
    } else if (finer.cells) {
      finer.cells[i] = 0;
    }
  }
  give_plane(plane, s.cells);
  plane = finer;
}

constexpr Plane Shadow::*kPlanes[] = {&Shadow::writers, &Shadow::readers, &Shadow::second_readers};

}  // namespace

void wind_clock() {
  if (clock_now < kWindAt) return;
  drop_spare();
  clock_now = 1;
}

void need_plane(Shadow& s, size_t bytes, Plane Shadow::*which) {
  s.cells = cells_of(bytes, s.shift);
  if (!(s.*which)) s.*which = make_plane(s.cells, s.shift);
}

void split_cells(Shadow& s, size_t bytes, int shift) {
  const size_t finer = cells_of(bytes, shift);
  for (const auto which : kPlanes) split_plane(s.*which, s, finer, shift);
  s.cells = finer;
  s.shift = static_cast<uint8_t>(shift);
}

void drop_planes(Shadow& s) {
  for (const auto which : kPlanes) give_plane(s.*which, s.cells);
}

}  // namespace sim
