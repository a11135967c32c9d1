// Races between streams, judged by the vector clocks and not by the order that the simulator happened to use.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "report.h"
#include "stream_state.h"

namespace sim {

namespace {

constexpr size_t kAccessesKept = 256;   // of one allocation; the oldest are forgotten
constexpr size_t kRowsCompared = 4096;  // spans of more rows than this are not compared row by row

struct Access {
  size_t queue;
  uint64_t position;
  Span span;
  bool freed;
  std::string what, kernel;
  int line;
  const void* pc;
  Clock behind;  // of a free, which is noted before the work that it waits for has run
};

using Accesses = std::vector<Access>;

std::unordered_map<uint64_t, Accesses>& accesses_by_allocation() {
  static auto* table = new std::unordered_map<uint64_t, Accesses>;
  return *table;
}

uintptr_t first(const Span& span) { return reinterpret_cast<uintptr_t>(span.begin); }
uintptr_t last(const Span& span) { return first(span) + (span.rows - 1) * span.pitch + span.bytes; }

// Whether [begin, end) meets one of the span's rows.
bool meets(const Span& span, uintptr_t begin, uintptr_t end) {
  if (end <= first(span) || begin >= last(span)) return false;
  if (span.rows == 1) return true;
  const uintptr_t reach = first(span) + span.bytes;
  const size_t row = begin < reach ? 0 : (begin - reach) / span.pitch + 1;
  return row < span.rows && first(span) + row * span.pitch < end;
}

bool overlap(const Span& a, const Span& b) {
  if (!a.exact || !b.exact || last(a) <= first(b) || last(b) <= first(a)) return false;
  const Span& few = a.rows <= b.rows ? a : b;
  const Span& many = a.rows <= b.rows ? b : a;
  if (few.rows > kRowsCompared) return false;
  for (size_t row = 0; row < few.rows; ++row) {
    const uintptr_t begin = first(few) + row * few.pitch;
    if (meets(many, begin, begin + few.bytes)) return true;
  }
  return false;
}

bool same_bytes(const Span& a, const Span& b) {
  return a.begin == b.begin && a.bytes == b.bytes && a.rows == b.rows && a.pitch == b.pitch;
}

bool contains(const Span& outer, const Span& inner) {
  if (same_bytes(outer, inner)) return true;
  return outer.rows == 1 && first(inner) >= first(outer) && last(inner) <= last(outer);
}

std::string line_words(int line) { return line ? " (line " + std::to_string(line) + ")" : ""; }

std::string stream_words(size_t number) {
  const Queue& queue = *stream_engine().queues[number];
  return "stream " + std::to_string(queue.id) + (queue.id == 0 ? " (the default stream)" : "");
}

std::string done_to(const Access& access) {
  if (access.freed) return "freed";
  return access.span.write ? "wrote" : "read";
}

std::string words(const Access& now, const Access& before) {
  std::string text = now.what + line_words(now.line) + " on " + stream_words(now.queue) + " " + done_to(now) +
                     " memory that " + before.what + line_words(before.line) + " on " +
                     stream_words(before.queue) + " " + done_to(before) + ", and nothing orders the two.";
  if (now.freed || before.freed)
    return text + " Call record_stream, or make the stream that frees wait for the other.";
  return text +
         " Use the same stream, or record an event behind the one and make the other's stream wait for it.";
}

bool is_learners(const Access& access) { return access.line || access.pc || !access.kernel.empty(); }

OtherAccess as_other(const Access& access) {
  OtherAccess other;
  other.access = access.freed ? "free" : access.span.write ? "write" : "read";
  (is_learners(access) ? other.kernel : other.op) = access.kernel.empty() ? access.what : access.kernel;
  other.launch_line = access.line;
  other.stream = stream_engine().queues[access.queue]->id;
  other.pc = access.pc;
  return other;
}

// Reported is the learner's access, the later one where both are; the other one stands beside it.
void report_race(const Access& now, const Access& before) {
  const Access& reported = is_learners(now) || !is_learners(before) ? now : before;
  const Access& other = &reported == &now ? before : now;
  Report race;
  race.kind = "stream_race";
  race.access = reported.span.write ? "write" : "read";
  race.message = words(now, before);
  race.missing = stream_words(now.queue) + " waits for " + stream_words(before.queue);
  race.kernel = reported.kernel.empty() ? reported.what : reported.kernel;
  race.launch_line = reported.line;
  race.pc = reported.pc;
  race.device = stream_engine().queues[now.queue]->device;
  race.stream = stream_engine().queues[reported.queue]->id;
  race.current_stream = stream_engine().queues[other.queue]->id;
  race.other = as_other(other);
  race.other->later = &other == &now;
  report(std::move(race));
}

bool ordered(const Access& before, const Access& now, const Clock& seen) {
  return before.queue == now.queue || before.position <= at(seen, before.queue) ||
         now.position <= at(before.behind, now.queue);
}

// Copies of the same bytes to a symbol: whoever reads it behind a copy of his own sees no difference.
bool is_harmless(const Accesses& accesses, const Access& before, const Access& now, const Clock& seen) {
  const Access& write = now.span.write ? now : before;
  if (!write.span.content) return false;
  if (before.span.write && now.span.write) return before.span.content == now.span.content;
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access& other) {
    return &other != &write && other.span.content == write.span.content &&
           same_bytes(other.span, write.span) && (now.span.write || ordered(other, now, seen));
  });
}

// Whether the same bytes were copied before, so that this copy changes nothing.
bool repeats(const Accesses& accesses, const Access& now, const Clock& seen) {
  return now.span.content && std::any_of(accesses.begin(), accesses.end(), [&](const Access& before) {
           return before.span.content == now.span.content && same_bytes(before.span, now.span) &&
                  ordered(before, now, seen);
         });
}

// The work that a task was already reported against: queue and position.
using Told = std::set<std::pair<size_t, uint64_t>>;

// Reports one conflict with each other stream, and forgets what `now` supersedes.
void compare_and_keep(Accesses& accesses, Access now, const Clock& seen, Told& told) {
  std::set<size_t> streams;
  for (const Access& before : accesses) {
    if (ordered(before, now, seen) || !(before.span.write || now.span.write)) continue;
    if (!overlap(before.span, now.span) || is_harmless(accesses, before, now, seen)) continue;
    if (!streams.insert(before.queue).second) continue;
    if (told.emplace(before.queue, before.position).second) report_race(now, before);
  }
  if (repeats(accesses, now, seen)) return;
  const auto superseded = [&](const Access& before) {
    // A free is noted ahead of its time: work of its own stream that runs now is before it, and not behind.
    if (before.freed || !ordered(before, now, seen) || !contains(now.span, before.span)) return false;
    return now.span.write || (!before.span.write && before.queue == now.queue);
  };
  accesses.erase(std::remove_if(accesses.begin(), accesses.end(), superseded), accesses.end());
  if (accesses.size() >= kAccessesKept) accesses.erase(accesses.begin());
  accesses.push_back(std::move(now));
}

void report_wrong_stream(const Queue& queue, const Queue& current, const Work& work, const std::string& why) {
  Report wrong;
  wrong.kind = "wrong_stream";
  wrong.kernel = work.kernel.empty() ? work.what : work.kernel;
  wrong.launch_line = work.line;
  wrong.pc = work.pc;
  wrong.device = queue.device;
  wrong.stream = queue.id;
  wrong.current_stream = current.id;
  wrong.message = work.what + line_words(work.line) + " ran on " + stream_words(queue.number) + " while " +
                  stream_words(current.number) + " was current, " + why;
  report(std::move(wrong));
}

bool joined(const Unjoined& work) {
  return at(*work.current->seen, work.side->number) >= work.position ||
         at(stream_engine().host, work.side->number) >= work.position;
}

}  // namespace

void check_races(const Queue& queue, uint64_t position, const Clock& seen, const Task& task,
                 const std::vector<Span>& spans) {
  Told told;
  for (const Span& span : spans) {
    const Allocation* allocation = span.bytes ? find(span.begin) : nullptr;
    if (!allocation) continue;
    compare_and_keep(accesses_by_allocation()[allocation->id],
                     {queue.number, position, span, false, task.what, task.kernel, task.line, task.pc, {}},
                     seen, told);
  }
}

void forget_accesses(uint64_t allocation) { accesses_by_allocation().erase(allocation); }

void check_free(const Queue& queue, const Clock& clock, void* pointer) {
  const Allocation* allocation = find(pointer);
  if (!allocation) return;
  auto& table = accesses_by_allocation();
  const auto found = table.find(allocation->id);
  if (found == table.end() && stream_engine().pending == 0) return;
  const Span whole{allocation->base, allocation->bytes, true};
  Told told;
  compare_and_keep(
      table[allocation->id],
      {queue.number, queue.submitted + 1, whole, true, "PyTorch's allocator", "", 0, nullptr, clock}, clock,
      told);
}

// A fork from the current stream that is joined again is right, so work that is ordered behind PyTorch's work
// on the current stream is only kept in mind.  Called before the work gets its position.
void check_current_stream(Queue& queue, const Task& task) {
  auto& current = queue_of(current_stream(queue.device));
  if (&current == &queue || (current.blocking && queue.blocking)) return;
  const Work work{task.what, task.kernel, task.line, task.pc};
  if (at(*queue.seen, current.number) < current.torch_work)
    return report_wrong_stream(queue, current, work,
                               "and nothing makes it wait for the work of the current stream. Pass "
                               "c10::cuda::getCurrentCUDAStream().");
  stream_engine().unjoined.push_back({&queue, queue.submitted + 1, &current, work});
}

void settle(bool host_only) {
  auto& unjoined = stream_engine().unjoined;
  for (const Unjoined& work : unjoined)
    if (!host_only && !joined(work))
      report_wrong_stream(
          *work.side, *work.current, work.work,
          "and the current stream never waited for it. Pass c10::cuda::getCurrentCUDAStream().");
  const auto is_settled = [&](const Unjoined& work) { return !host_only || joined(work); };
  unjoined.erase(std::remove_if(unjoined.begin(), unjoined.end(), is_settled), unjoined.end());
}

}  // namespace sim
