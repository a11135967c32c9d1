// JSON text, as much as reports need.
#pragma once
#include <cstdint>
#include <string>

namespace sim::json {

std::string quote(const std::string& text);

// Collects "key": value pairs.
class Object {
 public:
  Object& add(const char* key, const std::string& text);
  Object& add(const char* key, int64_t number);
  Object& add_raw(const char* key, const std::string& json);
  std::string str() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

}  // namespace sim::json
