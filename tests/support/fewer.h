// How many random cases, or how large an amount, a unit test takes: sanitizers are slow, and what they look for shows
// in a quarter of them.
#pragma once

#include <cstddef>

namespace warpmeter::test {

constexpr std::size_t fewer(std::size_t usual) {
#if (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)) && !defined(WARPMETER_LONG)
  return usual / 4;
#else
  return usual;
#endif
}

// Of places that are all tried, how far it is to the next one: 1, but under sanitizers.
constexpr std::size_t next_of_all() { return 5 - fewer(4); }

// The first where there is time for it, the second in the short form.
template <class T>
constexpr T if_long([[maybe_unused]] T whole, [[maybe_unused]] T part) {
#if defined(WARPMETER_LONG)
  return whole;
#else
  return part;
#endif
}

}  // namespace warpmeter::test
