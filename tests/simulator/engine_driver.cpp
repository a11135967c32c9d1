// driver LIBRARY CASE [ORDER [SEED]]: runs one case of the library and prints {"reports", "launches",
// "values", "error", "exception"} as JSON.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine_cases.h"
#include "error.h"
#include "launch.h"
#include "memory.h"
#include "report.h"
#include "stream.h"

static std::vector<std::function<double()>> kept;

void* device_copy(const void* from, size_t bytes) {
  void* to = device_empty(bytes);
  sim::copy_bytes(to, from, bytes);
  return to;
}
void* device_empty(size_t bytes, int device) {
  return sim::allocate(device, bytes, sim::Origin::kTorch, nullptr);
}
void device_free(void* pointer) { sim::release(pointer, "the test"); }
void* stream_of(int device) { return sim::new_stream(device, false); }
void allow_shared(const void* kernel, int bytes) { sim::set_dynamic_shared_limit(kernel, bytes); }
void keep_host(const float*) {}

template <class T>
static T* keep(T* device, int n) {
  for (int i = 0; i < n; ++i) kept.push_back([=] { return static_cast<double>(device[i]); });
  return device;
}
float* keep_floats(float* device, int n) { return keep(device, n); }
double* keep_doubles(double* device, int n) { return keep(device, n); }
int* keep_ints(int* device, int n) { return keep(device, n); }

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string order = count > 3 ? arguments[3] : "ascending";
  sim::set_order(order == "ascending"    ? sim::Order::kAscending
                 : order == "descending" ? sim::Order::kDescending
                                         : sim::Order::kRandom,
                 count > 4 ? strtoull(arguments[4], nullptr, 10) : 1);
  sim::set_kernels_enabled(order != "disabled");
  sim::set_grid_seconds(0.5);
  sim::set_crash_fd(1);
  void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 3;
  const auto run_case = reinterpret_cast<bool (*)(const char*)>(dlsym(library, "run_case"));
  std::string exception;
  try {
    if (!run_case(arguments[2])) return 2;
    sim::synchronize_device(0);
  } catch (const std::exception& e) {
    exception = e.what();
  }
  std::string values;
  for (const auto& value : kept) values += (values.empty() ? "" : ", ") + std::to_string(value());
  printf("{\"reports\": %s, \"launches\": %s, \"values\": [%s], \"error\": %d, \"exception\": \"%s\"}\n",
         sim::take_reports().c_str(), sim::take_launch_log().c_str(), values.c_str(), sim::peek_error(),
         exception.c_str());
}
