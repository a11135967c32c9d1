// What PyTorch asks of a device: guard, hooks and generators.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <ATen/EmptyTensor.h>
#include <ATen/core/Generator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <array>

#include "../engine/graph.h"
#include "../engine/memory.h"
#include "../engine/stream.h"
#include "../runtime/pinned.h"
#include "allocator.h"
#include "errors.h"
#include "generator.h"
#include "tensors.h"

namespace sim {

namespace {

constexpr auto kDeviceType = c10::DeviceType::PrivateUse1;

c10::Device device_of(int index) { return {kDeviceType, static_cast<c10::DeviceIndex>(index)}; }

int checked(c10::Device device) {
  const int index = device.has_index() ? device.index() : current_device();
  TORCH_CHECK(device.type() == kDeviceType, "expected a sim device, got ",
              c10::DeviceTypeName(device.type()));
  TORCH_CHECK(index >= 0 && index < device_count(), "CUDA error: invalid device ordinal ",
              std::to_string(index));
  return index;
}

c10::Stream wrap(const Stream* stream) {
  return c10::Stream(c10::Stream::UNSAFE, device_of(stream->device), stream->id);
}

Stream* unwrap(const c10::Stream& stream) {
  Stream* found = stream_by_id(checked(stream.device()), stream.id());
  TORCH_CHECK(found, "no stream ", std::to_string(stream.id()), " on device ",
              std::to_string(stream.device_index()));
  return found;
}

// Methods without `override` are virtual in some of the supported versions of PyTorch only.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  Guard() = default;
  explicit Guard(c10::DeviceType) {}
  c10::DeviceType type() const override { return kDeviceType; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const int previous = current_device();
    set_current_device(checked(device));
    return device_of(previous);
  }
  c10::Device getDevice() const override { return device_of(current_device()); }
  void setDevice(c10::Device device) const override { set_current_device(checked(device)); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.index() >= 0 && device.index() < device_count()) set_current_device(device.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return static_cast<c10::DeviceIndex>(device_count());
  }

  c10::Stream getStream(c10::Device device) const override { return wrap(current_stream(checked(device))); }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return wrap(default_stream(checked(device)));
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool = false) const override {
    return wrap(pool_stream(checked(device)));
  }
  c10::Stream getNewStream(c10::Device device, int = 0) const override {
    return wrap(pool_stream(checked(device)));
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return wrap(set_current_stream(unwrap(stream)));
  }
  void* getStreamNativeHandle(const c10::Stream stream) const { return unwrap(stream); }
  bool isStreamCapturing(const c10::Stream& stream) const { return is_capturing(unwrap(stream)); }
  bool queryStream(const c10::Stream& stream) const override {
    const bool done = query(unwrap(stream));
    throw_last_error();
    return done;
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    synchronize(unwrap(stream));
    throw_last_error();
  }
  void synchronizeDevice(const c10::DeviceIndex index) const override {
    synchronize_device(checked(device_of(index)));
    throw_last_error();
  }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    if (!*event) *event = new_event();
    sim::record(static_cast<Event*>(*event), unwrap(stream));
    throw_last_error();
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event) wait(unwrap(stream), static_cast<Event*>(event));
    throw_last_error();
  }
  bool queryEvent(void* event) const override {
    const bool done = !event || query(static_cast<Event*>(event));
    throw_last_error();
    return done;
  }
  void synchronizeEvent(void* event) const override {
    if (event) synchronize(static_cast<Event*>(event));
    throw_last_error();
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    if (event) destroy_event(static_cast<Event*>(event));
  }
  double elapsedTime(void*, void*, const c10::DeviceIndex) const override {
    TORCH_CHECK(false,
                "the simulator has no clock: it counts bytes and launches, and measures no device time. ",
                "Measure on a GPU, or compare counts.");
  }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    use_on_stream(data, unwrap(stream));
  }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  void init() const override {}
  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(device_count()); }
  void setCurrentDevice(c10::DeviceIndex device) const override {
    set_current_device(checked(device_of(device)));
  }
  c10::DeviceIndex getCurrentDevice() const override {
    return static_cast<c10::DeviceIndex>(current_device());
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    const auto previous = getCurrentDevice();
    setCurrentDevice(device);
    return previous;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return device < 0 ? getCurrentDevice() : exchangeDevice(device);
  }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return pinned_allocator(); }
  c10::Device getDeviceFromPtr(void* data) const override {
    const Allocation* allocation = find(data);
    TORCH_CHECK(allocation, "the pointer is not device memory");
    return device_of(allocation->device);
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device < 0 ? current_device() : device);
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    return new_generator(device < 0 ? current_device() : device);
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    resize_storage(storage.unsafeGetStorageImpl(), bytes);
  }
};

}  // namespace

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

namespace {

const bool hooks_are_registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

}  // namespace

}  // namespace sim
