// Asks for a cache line before it is needed.
#pragma once

namespace warpmeter {

// GCC takes a function that does nothing but prefetch for one without effect, and drops calls of it that it has not
// inlined yet; the empty asm keeps them.
inline void prefetch(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");
}

// The same for a line that will be written.
inline void prefetch_to_write(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}

inline constexpr unsigned kCacheLine = 64;

// All lines of an object, wherever in its first one it begins.
template <class T>
void prefetch_all(const T& object) {
  const char* begin = reinterpret_cast<const char*>(&object);
  for (unsigned line = 0; line < sizeof object; line += 64) prefetch(begin + line);
  prefetch(begin + sizeof object - 1);
}

}  // namespace warpmeter
