// What the front end makes of CUDA's syntax, as macros.
#pragma once

#define ARGS(...) ::sim::arguments(__VA_ARGS__)
#define ARG(x) ::sim::argument(#x, x)
#define KERNEL(name, args) return ::sim::kernel({#name, __LINE__}, args, [=]() mutable -> void
#define LAUNCH(...) ::sim::Configured(__LINE__, __VA_ARGS__)
#define SHARED(type, name, extents)                      \
  type(&name) extents = ::sim::shared<decltype(name)>([] { \
    static const ::sim::SharedSlot slot{#name, __LINE__};  \
    return &slot;                                          \
  }())
