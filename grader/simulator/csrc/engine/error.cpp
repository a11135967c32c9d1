#include "error.h"

#include "stream.h"

namespace sim {
namespace {

thread_local Error last = kSuccess;
Error sticky_error = kSuccess;
std::string cause_of_last;

}  // namespace

void set_error(Error error, const std::string& cause, bool sticky) {
  EngineLock lock;
  if (sticky && sticky_error == kSuccess) sticky_error = error;
  last = error;
  cause_of_last = cause;
}

Error peek_error() { return sticky_error != kSuccess ? sticky_error : last; }

Error sticky() { return sticky_error; }

Error take_error() {
  const Error error = peek_error();
  last = kSuccess;
  return error;
}

const std::string& error_cause() { return cause_of_last; }

}  // namespace sim
