// Autograd has one thread for each device, and counts them once: in a process that has run backward before it
// loads the simulator it must count again.
#include <torch/csrc/autograd/engine.h>

#include <thread>

#include "../engine/stream.h"

namespace sim {
namespace {

using torch::autograd::Engine;
using torch::autograd::ReadyQueue;

// What the engine keeps to itself and to classes that derive from it.
struct Opened : Engine {
  static bool has_counted(Engine& engine) { return (engine.*&Opened::thread_pool_shared_) != nullptr; }
  static std::vector<std::shared_ptr<ReadyQueue>>& queues(Engine& engine) {
    return engine.*&Opened::device_ready_queues_;
  }
  static void count_again(Engine& engine) { (engine.*&Opened::start_device_threads)(); }
};

void add_thread(Engine& engine) {
  std::vector<std::shared_ptr<ReadyQueue>>& queues = Opened::queues(engine);
  const int index = static_cast<int>(queues.size());
  queues.push_back(std::make_shared<ReadyQueue>());
  std::thread(&Engine::thread_init, &engine, index, queues.back(), true).detach();
}

}  // namespace
}  // namespace sim

// Python calls this when the library has been loaded, without its lock: the new threads take it.
extern "C" __attribute__((visibility("default"))) void sim_meet_autograd() {
  torch::autograd::Engine& engine = torch::autograd::Engine::get_default_engine();
  if (!sim::Opened::has_counted(engine)) return;
  if (sim::Opened::queues(engine).empty()) sim::Opened::count_again(engine);
  while (static_cast<int>(sim::Opened::queues(engine).size()) < sim::device_count()) sim::add_thread(engine);
}
