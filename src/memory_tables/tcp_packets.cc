#include "memory_tables/tcp_packets.h"

#include <algorithm>
#include <cstring>

#include "core/flow_hash.h"

namespace warpmeter {
namespace {

// Exchanges the ends if the source is not the smaller one. Returns whether it did.
bool put_in_order(FlowKey& key) {
  std::memset(key.vlan, 0, sizeof key.vlan);
  int order = std::memcmp(key.source, key.destination, sizeof key.source);
  if (order == 0) order = std::memcmp(key.source_port, key.destination_port, sizeof key.source_port);
  if (order <= 0) return false;
  key = swapped(key);
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
    const bool exchanged = put_in_order(batch.key[i]);
    tcp.push_back({.hash = hash_flow(batch.key[i], hash_seed).hash,
                   .time_ns = latest_ns,
                   .at = i,
                   .sequence = segment.sequence,
                   .payload = segment.payload_length,
                   .flags = segment.flags,
                   .way = exchanged});
  }
}

}  // namespace warpmeter
