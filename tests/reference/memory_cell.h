// The memory tables once more, slowly: each cell is a simulation of its own, which looks at every stream at every
// packet and writes down every change. What a stream holds is the sum of what came since it was emptied.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/sequence_set.h"

namespace reference {

struct MemoryPacket {
  int64_t time_ns = 0;
  uint32_t ip_length = 40;
  bool tcp = true;
  int connection = 0, way = 0;
  uint32_t sequence = 0, payload = 0;
  bool syn = false, fin = false, rst = false;
};

// How many bytes of each packet are new.
class NewBytes {
 public:
  uint64_t of(const MemoryPacket& packet);

 private:
  struct Direction {
    bool known = false;
    int64_t highest = 0;
    SequenceSet seen;
  };
  std::map<std::pair<int, int>, Direction> directions_;
};

struct Integrated {
  __int128 integral = 0;  // times ns
  int64_t peak = 0;
};

class MemoryCell {
 public:
  MemoryCell(int64_t timeout_ns, uint64_t block) : timeout_(timeout_ns), block_(block) {}

  void take(const MemoryPacket& packet, uint64_t fresh);

  Integrated streams() const { return integrate(streams_); }
  Integrated buffered() const { return integrate(buffered_); }

 private:
  struct Stream {
    int64_t latest = 0;
    uint64_t held = 0;
  };
  using Changes = std::vector<std::pair<int64_t, int64_t>>;  // when, by how much

  void end_silent(int64_t before);
  Integrated integrate(Changes changes) const;

  const int64_t timeout_;
  const uint64_t block_;
  bool any_ = false;
  int64_t first_ = 0, now_ = 0;
  std::map<int, Stream> alive_;
  Changes streams_, buffered_;
};

}  // namespace reference
