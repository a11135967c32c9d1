// Running a grid: its blocks in order, several resident when they wait for each other.
#pragma once
#include <ctime>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "block.h"
#include "error.h"
#include "memory.h"

namespace sim {

class __attribute__((visibility("hidden"))) Grid {
 public:
  explicit Grid(const Launch& launch);
  void run();

  const Launch& launch() const { return launch_; }
  // Makes a table of threads by position, ascending so far, what the next block's shall be.
  void put_in_order(uint32_t* threads, uint32_t count) const;
  Dim3 block_index(uint64_t linear) const;

  void give_up(Error error, const std::string& cause);
  bool given_up() const { return given_up_; }
  void progressed() { ++progress_; }

  // Whether a kernel may read `address` although it is no device memory: the module's own constants,
  // parameters.
  bool is_readable_host(uintptr_t address) const;
  bool is_module_code(uintptr_t pc) const { return pc - module_begin_ < module_bytes_; }

  // Remembers that the grid uses an allocation, so that its marks can be cleared and its spans told.
  // `grain`: an access's offset or size, whose lowest bit says how fine its shadow must be.
  void touch(Allocation& allocation, bool write, size_t grain);

  // A block gets the OS thread.  From then on the clock is its own.
  void resume(uint32_t block);
  uint32_t resumed_at() const { return runs_.back().since; }
  uint32_t block_at(uint32_t stamp) const;
  Handover& handover(const void* flag) {
    Handover& found = handovers_[flag];
    found.flag = flag;
    return found;
  }

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
  struct Run {
    uint32_t since, block;
  };
  std::vector<Run> runs_;  // who had the OS thread, in order
  std::unordered_map<const void*, Handover> handovers_;
  uint32_t began_ = 0;
  uintptr_t module_begin_ = 0;
  size_t module_bytes_ = 0;
  uint64_t progress_ = 0;
  bool given_up_ = false;
};

}  // namespace sim
