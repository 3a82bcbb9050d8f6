// What the memory tables need of a batch of packets: of all IP packets their number, bytes and times, and each TCP
// segment, with the ends of its connection. Made beside each other, taken in order.
//
// Threads: made by one, then read by one.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/hash_seed.h"
#include "core/segment_batch.h"

namespace warpmeter::inline command {

struct TcpPacket {
  std::uint64_t hash;    // of the connection's ends
  std::int64_t time_ns;  // of the latest packet of the batch up to this one
  std::uint32_t at;      // its ends in the batch
  std::uint32_t sequence;
  std::uint32_t payload;  // by the IP header
  std::uint8_t flags;
  std::uint8_t way;  // 0: sent by the connection's smaller end
};

class TcpPackets {
 public:
  // Of the segments of a batch, which must stay, and whose keys become the ends of connections: the smaller end is the
  // source, and there is no VLAN id.
  void take(SegmentBatch& batch, const HashSeed& hash_seed);

  const FlowKey& ends(const TcpPacket& packet) const { return batch_->key[packet.at]; }

  std::uint64_t packets = 0, ip_bytes = 0;  // IP
  std::int64_t first_ns = 0;                // of the first IP packet, of the latest; valid if there are any
  std::int64_t latest_ns = 0;
  std::vector<TcpPacket> tcp;

 private:
  const SegmentBatch* batch_ = nullptr;
};

}  // namespace warpmeter::inline command
