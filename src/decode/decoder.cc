#include "decode/decoder.h"

#include "decode/ip.h"
#include "decode/link_layer.h"
#include "decode/packet_filter.h"
#include "decode/transport.h"
#include "decode/tunnel.h"

namespace warpmeter {
namespace {

// Far enough ahead to hide a cache miss, near enough to stay within the block.
constexpr std::size_t kPrefetchFrames = 8;

void count(DecodeCounters& counters, Ignored why) { ++counters.ignored[static_cast<int>(why)]; }

}  // namespace

void Decoder::append(const FrameBlock& block, std::span<SegmentBatch> batches, DecodeCounters& counters) const {
  const std::uint32_t first_frame = batches.front().frames;
  for (SegmentBatch& batch : batches) {
    batch.make_room(block.frames.size());
    batch.frames += static_cast<std::uint32_t>(block.frames.size());
  }
  counters.frames += block.frames.size();
  std::uint64_t metered = 0;
  for (std::size_t i = 0; i < block.frames.size(); ++i) {
    if (i + kPrefetchFrames < block.frames.size()) __builtin_prefetch(block.frames[i + kPrefetchFrames].data + 32);
    const Frame& frame = block.frames[i];
    if (options_.filter && frame.link != kUnknownLink && !options_.filter->matches(frame)) {
      count(counters, Ignored::filtered_out);
      continue;
    }
    IpPlace place = find_ip(frame);
    IpPacket packet;
    if (!place.version || !read_ip(frame, place.version, place.offset, packet, place.why)) {
      count(counters, place.why);
      continue;
    }
    if (options_.decapsulate) {
      const IpPacket outer = packet;
      packet = innermost(frame, outer);
      counters.decapsulated += packet.source != outer.source;
    }
    FlowKey key;
    Segment segment;
    read_transport(packet, key, segment, counters);
    if (options_.key_vlan) {
      key.vlan[0] = static_cast<std::uint8_t>(place.vlan >> 8);
      key.vlan[1] = static_cast<std::uint8_t>(place.vlan);
    }
    segment.time_ns = frame.time_ns;
    segment.frame = first_frame + static_cast<std::uint32_t>(i);
    const FlowHash hash = hash_flow(key, hash_seed_);
    SegmentBatch& batch = batches.size() == 1 ? batches.front() : batches[share_of(hash.shard, batches.size())];
    batch.push(key, hash, segment);
    ++metered;
  }
  counters.metered += metered;
}

}  // namespace warpmeter
