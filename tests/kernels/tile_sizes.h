// The tile sizes that a build tests: all in the long form, else three, since the kernels as compiled have all of them
// on the CUDA machine (tests/simulator). ThreadSanitizer does not know fibers: there it is tiles of one lane, in
// threads (host_device.h), and lanes as threads (thread_tile.h). Under AddressSanitizer two sizes stand for all,
// because all the kernels for all sizes take minutes to compile; in the short form one, because fibers take minutes to
// run.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <vector>

namespace warpmeter::test {

inline std::vector<unsigned> tile_sizes() {
#if defined(__SANITIZE_THREAD__) || (defined(__SANITIZE_ADDRESS__) && !defined(WARPMETER_LONG))
  return {1};
#elif defined(__SANITIZE_ADDRESS__)
  return {1, 4};
#elif !defined(WARPMETER_LONG)
  return {1, 4, 32};
#else
  return {1, 2, 4, 8, 16, 32};
#endif
}

// Calls body with a std::integral_constant.
template <class Body>
void with_tile_size(unsigned size, const Body& body) {
  switch (size) {
    case 1: return body(std::integral_constant<unsigned, 1>());
    case 2: return body(std::integral_constant<unsigned, 2>());
    case 4: return body(std::integral_constant<unsigned, 4>());
    case 8: return body(std::integral_constant<unsigned, 8>());
    case 16: return body(std::integral_constant<unsigned, 16>());
    case 32: return body(std::integral_constant<unsigned, 32>());
    default: throw std::logic_error("no such tile size");
  }
}

}  // namespace warpmeter::test
