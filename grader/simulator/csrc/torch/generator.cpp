#include "generator.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <array>
#include <cstring>
#include <mutex>

#include "../engine/memory.h"
#include "../engine/stream.h"

namespace sim {

namespace {

constexpr auto kDeviceType = c10::DeviceType::PrivateUse1;

uint64_t mixed(uint64_t value) {  // the finaliser of SplitMix64
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

class Counter final : public c10::GeneratorImpl {
 public:
  explicit Counter(int device)
      : GeneratorImpl(c10::Device(kDeviceType, static_cast<c10::DeviceIndex>(device)),
                      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}
  void set_current_seed(uint64_t seed) override {
    seed_ = seed;
    draws_ = 0;
  }
  void set_offset(uint64_t offset) override { draws_ = offset; }
  uint64_t get_offset() const override { return draws_; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return seed_;
  }
  void set_state(const c10::TensorImpl& state) override {
    TORCH_CHECK(state.numel() == sizeof(State) && state.dtype() == caffe2::TypeMeta::Make<uint8_t>() &&
                    state.device().is_cpu(),
                "a generator state of sim is a CPU tensor of 16 bytes");
    State now;
    std::memcpy(&now, state.data(), sizeof now);
    seed_ = now.seed;
    draws_ = now.draws;
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::Tensor state = at::detail::empty_cpu({sizeof(State)}, c10::ScalarType::Byte);
    const State now{seed_, draws_};
    std::memcpy(state.mutable_data_ptr(), &now, sizeof now);
    return state.getIntrusivePtr();
  }
  uint64_t draw() { return mixed(seed_ ^ mixed(draws_++)); }

 private:
  struct State {
    uint64_t seed, draws;
  };
  GeneratorImpl* clone_impl() const override {
    auto* copy = new Counter(device().index());
    copy->seed_ = seed_;
    copy->draws_ = draws_;
    return copy;
  }

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t draws_ = 0;
};

}  // namespace

const at::Generator& default_generator(int device) {
  static auto* generators = new std::array<at::Generator, kDevices>{new_generator(0), new_generator(1)};
  TORCH_CHECK(device >= 0 && device < device_count(), "CUDA error: invalid device ordinal ",
              std::to_string(device));
  return (*generators)[device];
}

at::Generator new_generator(int device) { return at::make_generator<Counter>(device); }

uint64_t draw_seed(const std::optional<at::Generator>& generator, int device) {
  at::Generator source =
      generator.has_value() && generator->defined() ? *generator : default_generator(device);
  TORCH_CHECK(source.device().type() == kDeviceType, "Expected a 'sim' device type for generator but found '",
              c10::DeviceTypeName(source.device().type(), true), "'");
  std::lock_guard<std::mutex> guard(source.mutex());
  return static_cast<Counter*>(source.unsafeGetGeneratorImpl())->draw();
}

}  // namespace sim

extern "C" {

int sim_manual_seed(int device, uint64_t seed) {
  at::Generator generator = sim::default_generator(device);
  std::lock_guard<std::mutex> guard(generator.mutex());
  generator.set_current_seed(seed);
  return 0;
}

// `state` is the seed and the number of draws.
void sim_get_rng_state(int device, uint64_t* state) {
  const at::Generator& generator = sim::default_generator(device);
  state[0] = generator.current_seed();
  state[1] = generator.get_offset();
}

void sim_set_rng_state(int device, const uint64_t* state) {
  at::Generator generator = sim::default_generator(device);
  generator.set_current_seed(state[0]);
  generator.set_offset(state[1]);
}

uint64_t sim_initial_seed(int device) { return sim::default_generator(device).current_seed(); }

}  // extern "C"
