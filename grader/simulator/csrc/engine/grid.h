// Running a grid: its blocks in order, several resident when they wait for each other.
#pragma once
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "error.h"
#include "memory.h"

namespace sim {

class Grid {
 public:
  explicit Grid(const Launch& launch);
  void run();

  const Launch& launch() const { return launch_; }
  // Position to thread, or to block; ascending order has no table.
  std::vector<uint32_t> thread_order();
  Dim3 block_index(uint64_t linear) const;

  void give_up(Error error, const std::string& cause);
  bool given_up() const { return given_up_; }
  void progressed() { ++progress_; }

  // Whether a kernel may read `address` although it is no device memory: the module's own constants,
  // parameters.
  bool is_readable_host(uintptr_t address) const;
  bool is_module_code(uintptr_t pc) const { return pc - module_begin_ < module_bytes_; }

  // Remembers that the grid uses an allocation, so that its marks can be cleared and its spans told.
  void touch(Allocation& allocation, bool write);

  void* scheduler = nullptr;  // where sim_switch goes back to

 private:
  void run_blocks();
  Block::Progress run_resident(size_t which);
  uint64_t nth_block(uint64_t position);
  void hang(const Block& block);
  void tell_spans();

  const Launch& launch_;
  uint64_t count_;
  uint64_t started_ = 0;
  uint64_t stride_ = 1, offset_ = 0;  // of a random order: position -> (offset + position * stride) mod count
  std::vector<std::unique_ptr<Block>> resident_, spare_;
  std::vector<Allocation*> touched_;
  uintptr_t module_begin_ = 0;
  size_t module_bytes_ = 0;
  uint64_t progress_ = 0;
  bool given_up_ = false;
};

}  // namespace sim
