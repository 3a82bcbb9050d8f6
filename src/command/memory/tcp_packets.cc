#include "command/memory/tcp_packets.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/flow_hash.h"

namespace warpmeter::inline command {
namespace {

constexpr std::uint64_t kPort = 0xffff, kVlan = kPort << 40;

// Exchanges the ends if the source is not the smaller one, by any order that is always the same. Returns whether it
// did.
bool put_in_order(HashedKey& key) {
  key.rest &= ~kVlan;
  const std::uint64_t source_port = key.rest & kPort, destination_port = key.rest >> 16 & kPort;
  const std::tuple source(key.source_high, key.source_low, source_port);
  const std::tuple destination(key.destination_high, key.destination_low, destination_port);
  if (source <= destination) return false;
  std::swap(key.source_high, key.destination_high);
  std::swap(key.source_low, key.destination_low);
  key.rest = (key.rest & ~(kPort << 16 | kPort)) | source_port << 16 | destination_port;
  return true;
}

}  // namespace

void TcpPackets::take(SegmentBatch& batch, const HashSeed& hash_seed) {
  batch_ = &batch;
  packets = batch.count;
  ip_bytes = 0;
  tcp.clear();
  if (batch.count == 0) return;
  first_ns = latest_ns = batch.segment[0].time_ns;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const Segment& segment = batch.segment[i];
    ip_bytes += segment.length;
    latest_ns = std::max(latest_ns, segment.time_ns);
    if (!is_tcp(segment)) continue;
    HashedKey key = hashed_key(batch.key[i]);
    const bool has_vlan = key.rest & kVlan;
    const bool exchanged = put_in_order(key);
    set_key(key, batch.key[i]);
    tcp.push_back({.hash = exchanged || has_vlan ? seeded_hash_of(key, hash_seed) : batch.hash[i],
                   .time_ns = latest_ns,
                   .at = i,
                   .sequence = segment.sequence,
                   .payload = segment.payload_length,
                   .flags = segment.flags,
                   .way = exchanged});
  }
}

}  // namespace warpmeter::inline command
