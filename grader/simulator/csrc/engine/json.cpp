#include "json.h"

#include <cstdio>

namespace sim::json {

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

Object& Object::add_raw(const char* key, const std::string& json) {
  if (!body_.empty()) body_ += ", ";
  body_ += quote(key) + ": " + json;
  return *this;
}

Object& Object::add(const char* key, const std::string& text) { return add_raw(key, quote(text)); }

Object& Object::add(const char* key, int64_t number) { return add_raw(key, std::to_string(number)); }

}  // namespace sim::json
