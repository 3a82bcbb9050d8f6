// A mapped file that somebody makes shorter takes its pages with it: whoever reads one gets SIGBUS, and the program
// dies. A mapping under guard gets zeros instead, from the page on that was missing, and remembers it.
//
// Threads: any. The signal's handler takes no lock and calls only the kernel; other addresses it leaves to whoever
// handled the signal before.
#pragma once

#include <cstdint>

namespace warpmeter {

class MappingGuard {
 public:
  // As many mappings can be under guard at once.
  static constexpr int kMost = 256;
  static constexpr std::uint64_t kWhole = ~std::uint64_t{0};

  // `data` is where a mapping of `size` bytes begins; it must stay mapped as long as the guard lives.
  MappingGuard(const std::uint8_t* data, std::uint64_t size);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  // False if there are too many already: then nothing guards this one.
  bool works() const { return slot_ >= 0; }

  // The offset from which on there are zeros, or kWhole.
  std::uint64_t missing_from() const;

 private:
  int slot_ = -1;
};

}  // namespace warpmeter
