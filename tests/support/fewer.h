// How many random cases, or how large an amount, a unit test takes: sanitizers are slow, and what they look for shows
// in a quarter of them.
#pragma once

#include <cstddef>

namespace warpmeter::test {

// Of a multiple of four.
constexpr std::size_t fewer(std::size_t usual) {
#if (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)) && !defined(WARPMETER_LONG)
  return usual / 4;
#else
  return usual;
#endif
}

}  // namespace warpmeter::test
