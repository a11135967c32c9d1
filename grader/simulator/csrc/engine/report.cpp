#include "report.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

#include "grid.h"
#include "json.h"
#include "running.h"
#include "stream.h"

namespace sim {

std::string module_and_offset(const void* pc) {
  Dl_info info;
  if (!dladdr(pc, &info) || !info.dli_fname) return "";
  char offset[32];
  snprintf(offset, sizeof offset, "+0x%zx",
           static_cast<size_t>(static_cast<const char*>(pc) - static_cast<char*>(info.dli_fbase)));
  return info.dli_fname + std::string(offset);
}

namespace {

struct Counted {
  Report report;
  int64_t count;
};

using Key = std::tuple<std::string, const void*, int, std::string, std::string>;

std::vector<Counted> reports;
std::map<Key, size_t> place_of;
int crash_fd = -1;

std::string triple(const Dim3& d) {
  return "[" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "]";
}

std::string frames(const std::vector<const void*>& stack) {
  std::string out;
  for (const void* pc : stack) out += (out.empty() ? "" : ", ") + json::quote(module_and_offset(pc));
  return "[" + out + "]";
}

std::string to_json(const OtherAccess& other) {
  json::Object o;
  o.add("access", other.access);
  if (!other.kernel.empty()) o.add("kernel", other.kernel);
  if (!other.op.empty()) o.add("operator", other.op);
  if (other.launch_line) o.add("launch_line", other.launch_line);
  if (other.block) o.add_raw("block", triple(*other.block));
  if (other.thread) o.add_raw("thread", triple(*other.thread));
  if (other.pc) o.add("pc", module_and_offset(other.pc));
  if (!other.stack.empty()) o.add_raw("stack", frames(other.stack));
  if (other.line) o.add("line", other.line);
  if (other.stream) o.add("stream", *other.stream);
  if (other.later) o.add_raw("later", "true");
  return o.str();
}

std::string to_json(const Counted& counted) {
  const Report& r = counted.report;
  json::Object o;
  o.add("kind", r.kind);
  if (!r.access.empty()) o.add("access", r.access);
  if (r.bytes) o.add("bytes", r.bytes);
  if (!r.argument.empty()) o.add("argument", r.argument);
  if (!r.space.empty()) o.add("space", r.space);
  if (r.index) o.add("index", *r.index);
  if (r.numel) o.add("numel", *r.numel);
  if (r.element_bytes) o.add("dtype_bytes", r.element_bytes);
  if (r.offset_bytes) o.add("offset_bytes", *r.offset_bytes);
  if (r.allocation_bytes) o.add("allocation_bytes", *r.allocation_bytes);
  if (!r.kernel.empty()) o.add("kernel", r.kernel);
  if (r.launch_line) o.add("launch_line", r.launch_line);
  if (r.block) o.add_raw("block", triple(*r.block));
  if (r.thread) o.add_raw("thread", triple(*r.thread));
  if (r.pc) o.add("pc", module_and_offset(r.pc));
  if (!r.stack.empty()) o.add_raw("stack", frames(r.stack));
  if (r.line) o.add("line", r.line);
  if (r.stream) o.add("stream", *r.stream);
  if (r.current_stream) o.add("current_stream", *r.current_stream);
  if (r.other) o.add_raw("other", to_json(*r.other));
  if (r.barrier_line) o.add("barrier_line", r.barrier_line);
  if (!r.missing.empty()) o.add("missing", r.missing);
  return o.add("device", r.device).add("count", counted.count).add("message", r.message).str();
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* stack) {
  const void* const pc = reinterpret_cast<const char*>(_Unwind_GetIP(context)) - 1;
  auto& frames = *static_cast<std::vector<const void*>*>(stack);
  if (running.grid->is_module_code(reinterpret_cast<uintptr_t>(pc))) frames.push_back(pc);
  return frames.size() < 16 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

std::vector<const void*> learner_stack() {
  std::vector<const void*> stack;
  _Unwind_Backtrace(visit, &stack);
  return stack;
}

void report(Report r, int64_t count) {
  EngineLock lock;
  const Key key{r.kind, r.pc, r.pc ? r.line : r.launch_line, r.kernel, r.pc ? "" : r.message};
  const auto [it, fresh] = place_of.emplace(key, reports.size());
  if (fresh) {
    if (running.on_device && r.pc && r.stack.empty()) r.stack = learner_stack();
    reports.push_back({std::move(r), count});
  } else {
    reports[it->second].count += count;
  }
}

std::string take_reports() {
  EngineLock lock;
  std::string out = "[";
  for (size_t i = 0; i < reports.size(); ++i) out += (i ? ",\n " : "") + to_json(reports[i]);
  reports.clear();
  place_of.clear();
  return out + "]";
}

size_t pending_reports() { return reports.size(); }

void set_crash_fd(int fd) { crash_fd = fd; }

void crash() {
  const std::string text = take_reports() + "\n";
  size_t sent = 0;
  while (crash_fd >= 0 && sent < text.size()) {
    const ssize_t n = write(crash_fd, text.data() + sent, text.size() - sent);
    if (n <= 0) break;
    sent += n;
  }
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  _exit(128 + SIGSEGV);
}

}  // namespace sim
