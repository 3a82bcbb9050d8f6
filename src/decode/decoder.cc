#include "decode/decoder.h"

#include "decode/ip.h"
#include "decode/link_layer.h"
#include "decode/packet_filter.h"
#include "decode/plain_tcp.h"
#include "decode/transport.h"
#include "decode/tunnel.h"
#include "warpmeter/prefetch.h"

namespace warpmeter {
namespace {

// Far enough ahead to hide a cache miss, near enough to stay within the block.
constexpr std::size_t kPrefetchFrames = 8;

// The bytes from IP addresses to TCP flags, which may lie across the border of two cache lines.
void prefetch_headers(const Frame& frame) {
  prefetch(frame.data + kEthernetHeader);
  prefetch(frame.data + kEthernetHeader + kIp4Header + kTcpHeader);
}

void count(DecodeCounters& counters, Ignored why) { ++counters.ignored[static_cast<int>(why)]; }

SegmentBatch& batch_for(const FlowHash& hash, std::span<SegmentBatch> batches) {
  return batches.size() == 1 ? batches.front() : batches[share_of(hash.shard, batches.size())];
}

std::uint64_t segments_in(std::span<const SegmentBatch> batches) {
  std::uint64_t sum = 0;
  for (const SegmentBatch& batch : batches) sum += batch.count;
  return sum;
}

void set_time_and_place(const Frame& frame, std::uint32_t number, Segment& segment) {
  segment.time_ns = frame.time_ns;
  segment.frame = number;
}

// Local, and with nothing of the caller's in memory, which after every store to a column would be loaded again.
void append_plain(const Frame& frame, const PlainTcp tcp, std::uint16_t vlan, std::uint64_t hash_seed,
                  std::uint32_t number, std::span<SegmentBatch> batches) {
  const FlowHash hash = hash_flow(tcp, vlan, hash_seed);
  const SegmentBatch::Place to = batch_for(hash, batches).push(hash);
  set_key(tcp, vlan, to.key);
  set_segment(tcp, to.segment);
  set_time_and_place(frame, number, to.segment);
}

}  // namespace

void Decoder::append(const FrameBlock& block, std::span<SegmentBatch> batches, DecodeCounters& counters) const {
  std::uint32_t number = batches.front().frames;
  for (SegmentBatch& batch : batches) {
    batch.make_room(block.frames.size());
    batch.frames += static_cast<std::uint32_t>(block.frames.size());
  }
  counters.frames += block.frames.size();
  const std::uint64_t before = segments_in(batches);
  for (std::size_t i = 0; i < block.frames.size(); ++i, ++number) {
    if (i + kPrefetchFrames < block.frames.size()) prefetch_headers(block.frames[i + kPrefetchFrames]);
    const Frame& frame = block.frames[i];
    if (options_.filter && frame.link != kUnknownLink && !options_.filter->matches(frame)) {
      count(counters, Ignored::filtered_out);
      continue;
    }
    const IpPlace place = find_ip(frame);
    PlainTcp tcp;
    if (read_plain_tcp(frame, place, tcp)) {
      append_plain(frame, tcp, options_.key_vlan ? place.vlan : 0, hash_seed_, number, batches);
    } else {
      append_any(frame, place, number, batches, counters);
    }
  }
  counters.metered += segments_in(batches) - before;
}

void Decoder::append_any(const Frame& frame, IpPlace place, std::uint32_t number, std::span<SegmentBatch> batches,
                         DecodeCounters& counters) const {
  IpPacket packet;
  if (!place.version || !read_ip(frame, place.version, place.offset, packet, place.why)) {
    count(counters, place.why);
    return;
  }
  if (options_.decapsulate) {
    const IpPacket outer = packet;
    packet = innermost(frame, outer);
    counters.decapsulated += packet.source != outer.source;
  }
  FlowKey key;
  Segment segment;
  read_transport(packet, key, segment, counters);
  if (options_.key_vlan) store_be16(key.vlan, place.vlan);
  set_time_and_place(frame, number, segment);
  const FlowHash hash = hash_flow(key, hash_seed_);
  batch_for(hash, batches).push(key, hash, segment);
}

}  // namespace warpmeter
