// Ways to receive frames, for benches: each takes all that has come, and looks at the first 64 bytes of each.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace warpmeter::bench {

class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual std::uint64_t drain() = 0;  // how many
  virtual std::uint64_t lost() = 0;   // since it began
};

// What is done with each frame, so that no way is spared the memory of its frames.
inline std::uint64_t look_at(const std::uint8_t* data) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 64; i += 8) sum += data[i];
  return sum;
}

// libpcap itself, without our ring.
std::unique_ptr<Receiver> receive_by_libpcap(const std::string& interface);

}  // namespace warpmeter::bench
