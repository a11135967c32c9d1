#include "allocator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "../../include/sim/runtime_api.h"
#include "../engine/error.h"
#include "../engine/graph.h"
#include "../engine/memory.h"
#include "../engine/stream.h"
#include "../runtime/pinned.h"
#include "errors.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

namespace sim {

namespace {

constexpr auto kDeviceType = c10::DeviceType::PrivateUse1;
using Stat = c10::CachingAllocator::Stat;
using Stats = c10::CachingDeviceAllocator::DeviceStats;

struct Block {
  void* pointer;
  size_t bytes;
  Stream* stream;
  std::vector<Stream*> users;
  std::shared_ptr<GraphMemory> graph;
};

// Blocks and bytes that PyTorch holds.  Nothing is cached, so what is allocated is what is reserved.
Stats& stats_of(int device) {
  static auto* stats = new std::array<Stats, kDevices>;
  return (*stats)[device];
}

template <typename Visit>
void for_each_count(Stats& stats, const Visit& visit) {
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  for (auto* blocks : {&stats.allocation, &stats.segment, &stats.active}) visit((*blocks)[kAll], false);
  for (auto* bytes :
       {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes})
    visit((*bytes)[kAll], true);
}

void count(int device, size_t bytes, void (Stat::*change)(size_t)) {
  EngineLock lock;
  for_each_count(stats_of(device),
                 [&](Stat& stat, bool in_bytes) { (stat.*change)(in_bytes ? bytes : size_t{1}); });
}

void delete_block(void* context) {
  auto* block = static_cast<Block*>(context);
  if (block->pointer) count(block->stream->device, block->bytes, &Stat::decrease);
  const bool kept = block->pointer && block->graph && keep_for_graph(*block->graph, block->pointer);
  if (block->pointer && !kept) free_later(block->pointer, block->stream, block->users);
  delete block;
}

// As PyTorch's allocator does when the device is full: waits for the frees that are due, and tries again.
void* allocate_or_throw(int device, size_t bytes, Stream* stream) {
  throw_sticky_error();
  void* pointer = allocate(device, bytes, Origin::kTorch, stream);
  if (pointer || bytes == 0) return pointer;
  synchronize_device(device);
  pointer = allocate(device, bytes, Origin::kTorch, stream);
  TORCH_CHECK_WITH(OutOfMemoryError, pointer, "sim out of memory. Tried to allocate ", std::to_string(bytes),
                   " bytes on device ", std::to_string(device), ", where ",
                   std::to_string(bytes_in_use(device)), " are in use.");
  return pointer;
}

struct DeviceAllocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    const int device = current_device();
    Stream* stream = current_stream(device);
    auto* block =
        new Block{allocate_or_throw(device, bytes, stream), bytes, stream, {}, memory_of_capture(stream)};
    if (block->pointer) count(device, bytes, &Stat::increase);
    return {block->pointer, block, &delete_block,
            c10::Device(kDeviceType, static_cast<c10::DeviceIndex>(device))};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    synchronize(current_stream(current_device()));
    copy_bytes(to, from, bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t = {0, 0}) override {}
  void recordStream(const c10::DataPtr& pointer, c10::Stream stream) override {
    use_on_stream(pointer, stream_by_id(stream.device_index(), stream.id()));
  }
  Stats getDeviceStats(c10::DeviceIndex device) override {
    EngineLock lock;
    return stats_of(device);
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    EngineLock lock;
    for_each_count(stats_of(device), [](Stat& stat, bool) { stat.reset_accumulated(); });
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    EngineLock lock;
    for_each_count(stats_of(device), [](Stat& stat, bool) { stat.reset_peak(); });
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    return {kDeviceBytes - bytes_in_use(device), kDeviceBytes};
  }
};

struct PinnedAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return {nullptr, c10::Device(c10::DeviceType::CPU)};
    void* pointer = allocate_pinned(bytes);
    if (!pointer) throw std::bad_alloc();
    return {pointer, pointer, &free_pinned, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

DeviceAllocator device_memory;
PinnedAllocator pinned_memory;

}  // namespace

REGISTER_ALLOCATOR(kDeviceType, &device_memory)

c10::Allocator* device_allocator() { return &device_memory; }
c10::Allocator* pinned_allocator() { return &pinned_memory; }

void use_on_stream(const c10::DataPtr& pointer, Stream* stream) {
  EngineLock lock;
  if (pointer.get_deleter() != &delete_block) return;
  auto* block = static_cast<Block*>(pointer.get_context());
  const bool known = block->stream == stream ||
                     std::find(block->users.begin(), block->users.end(), stream) != block->users.end();
  if (!known) block->users.push_back(stream);
}

namespace {

std::string words(int error, const std::string& cause) {
  std::string text = std::string("CUDA error: ") + error_string(error);
  return cause.empty() ? text : text + "\n" + cause;
}

}  // namespace

void throw_last_error() {
  const int error = peek_error();
  if (error == kSuccess) return;
  const std::string text = words(error, error_cause());
  take_error();
  throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, error, text);
}

void throw_sticky_error() {
  if (sticky() != kSuccess) throw_last_error();
}

namespace host {

void throw_cuda_error(int error, const char* function, const char* file, int line) {
  if (error == kSuccess) return;
  const std::string cause = peek_error() == error ? error_cause() : std::string();
  take_error();
  throw c10::AcceleratorError({function, file, static_cast<uint32_t>(line)}, error, words(error, cause));
}

}  // namespace host

}  // namespace sim
