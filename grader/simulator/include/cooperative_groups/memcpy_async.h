// Copies by a whole group.  They are done at once; only `wait` makes them visible to the group's others.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

namespace detail {

template <class Word, class Group>
void copy_words(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t count = bytes / sizeof(Word);
  for (size_t i = group.thread_rank(); i < count; i += group.size())
    static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
}

}  // namespace detail

template <class Group, class T, class U>
void memcpy_async(const Group& group, T* to, const U* from, size_t bytes) {
  const size_t all = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (all % 16 == 0) return detail::copy_words<int4>(group, to, from, bytes);
  if (all % 8 == 0) return detail::copy_words<int2>(group, to, from, bytes);
  if (all % 4 == 0) return detail::copy_words<int>(group, to, from, bytes);
  detail::copy_words<char>(group, to, from, bytes);
}
// In elements, with the room at each end.
template <class Group, class T>
void memcpy_async(const Group& group, T* to, size_t room, const T* from, size_t count) {
  memcpy_async(group, to, from, sizeof(T) * (room < count ? room : count));
}

template <class Group>
void wait(const Group& group, SIM_LINE) {
  group.sync(line);
}
template <unsigned Stages, class Group>
void wait_prior(const Group& group, SIM_LINE) {
  group.sync(line);
}

}  // namespace cooperative_groups
