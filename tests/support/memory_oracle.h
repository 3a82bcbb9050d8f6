// The oracle of the memory tables, of the packets of a test: each cell simulated by itself.
#pragma once

#include <vector>

#include "reference/memory_cell.h"
#include "support/memory_trace.h"

namespace warpmeter::test {

class MemoryOracle {
 public:
  explicit MemoryOracle(const std::vector<TracePacket>& trace) {
    reference::NewBytes new_bytes;
    for (const TracePacket& p : trace) {
      packets_.push_back({.time_ns = p.time_ns,
                          .ip_length = p.length,
                          .tcp = p.tcp,
                          .connection = static_cast<int>(p.connection),
                          .way = p.reply,
                          .sequence = p.sequence,
                          .payload = p.payload,
                          .syn = (p.flags & kSyn) != 0,
                          .fin = (p.flags & kFin) != 0,
                          .rst = (p.flags & kRst) != 0});
      fresh_.push_back(new_bytes.of(packets_.back()));
    }
  }

  // Of a timeout and a block size, as the tables number them.
  reference::MemoryCell cell(std::size_t timeout, std::size_t block) const {
    reference::MemoryCell cell(kSecond << timeout, std::uint64_t{1024} << block);
    for (std::size_t i = 0; i < packets_.size(); ++i) cell.take(packets_[i], fresh_[i]);
    return cell;
  }

 private:
  std::vector<reference::MemoryPacket> packets_;
  std::vector<std::uint64_t> fresh_;
};

// Over so many seconds.
inline double mean_of(const reference::Integrated& value, double seconds) {
  return static_cast<double>(static_cast<long double>(value.integral) / 1e9L) / seconds;
}

}  // namespace warpmeter::test
