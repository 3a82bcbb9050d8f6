#include "command/info/frame_sums.h"

#include <algorithm>

#include "core/prefetch.h"
#include "packet/decode/ip.h"
#include "packet/decode/link_layer.h"
#include "pipeline/batches/ordered_batches.h"

namespace warpmeter::inline command {
namespace {

// Far enough ahead to hide a cache miss, near enough to stay within the block.
constexpr std::size_t kPrefetchFrames = 8;

constexpr std::uint8_t kIcmp = 1, kTcp = 6, kUdp = 17, kIcmp6 = 58;

void add_packet(const Frame& frame, const IpPlace& place, FrameSums& sums) {
  IpPacket packet;
  Ignored why = place.why;
  if (!place.version || !read_ip(frame, place.version, place.offset, packet, why)) {
    ++sums.decode.ignored[static_cast<int>(why)];
    if (why == Ignored::not_ip) sums.decode.not_ip.add(place.what.as_number());
    return;
  }
  ++sums.decode.metered;
  ++(packet.version == 4 ? sums.ip4 : sums.ip6);
  sums.fragments += packet.fragment_offset != 0;
  sums.vlan += place.vlan != 0;
  switch (packet.protocol) {
    case kTcp: ++sums.tcp; break;
    case kUdp: ++sums.udp; break;
    case kIcmp:
    case kIcmp6: ++sums.icmp; break;
    default: ++sums.other;
  }
}

void add_time(std::int64_t time_ns, std::int64_t before_ns, FrameSums& sums) {
  if (time_ns >= before_ns) return;
  ++sums.backwards;
  sums.furthest_back_ns = std::max(sums.furthest_back_ns, before_ns - time_ns);
}

}  // namespace

void FrameSums::add(const FrameBlock& block) {
  if (block.frames.empty()) return;
  FrameSums sums;
  sums.first_ns = sums.last_ns = block.frames.front().time_ns;
  sums.decode.frames = block.frames.size();
  for (std::size_t i = 0; i < block.frames.size(); ++i) {
    if (i + kPrefetchFrames < block.frames.size()) prefetch(block.frames[i + kPrefetchFrames].data + 32);
    const Frame& frame = block.frames[i];
    sums.captured += frame.captured;
    sums.original += frame.original;
    sums.cut += frame.captured < frame.original;
    sums.smallest = std::min(sums.smallest, frame.original);
    sums.largest = std::max(sums.largest, frame.original);
    sums.earliest_ns = std::min(sums.earliest_ns, frame.time_ns);
    sums.latest_ns = std::max(sums.latest_ns, frame.time_ns);
    add_time(frame.time_ns, sums.last_ns, sums);
    sums.last_ns = frame.time_ns;
    each_packet(frame, find_ip(frame), [&](const Frame& of, const IpPlace& place) { add_packet(of, place, sums); });
  }
  append(sums);
}

void FrameSums::append(const FrameSums& next) {
  if (next.frames() == 0) return;
  furthest_back_ns = std::max(furthest_back_ns, next.furthest_back_ns);
  backwards += next.backwards;
  if (frames() == 0) first_ns = next.first_ns;
  else add_time(next.first_ns, last_ns, *this);
  last_ns = next.last_ns;
  decode.add(next.decode);
  captured += next.captured;
  original += next.original;
  cut += next.cut;
  smallest = std::min(smallest, next.smallest);
  largest = std::max(largest, next.largest);
  earliest_ns = std::min(earliest_ns, next.earliest_ns);
  latest_ns = std::max(latest_ns, next.latest_ns);
  ip4 += next.ip4;
  ip6 += next.ip6;
  tcp += next.tcp;
  udp += next.udp;
  icmp += next.icmp;
  other += next.other;
  fragments += next.fragments;
  vlan += next.vlan;
}

namespace {

constexpr unsigned kBatchesPerThread = 4;  // few are in flight where chunks are as unlike as those of many small files

struct BatchOfSums {
  FrameSums sums;

  void begin() { sums = {}; }
  void add(const FrameBlock& block) { sums.add(block); }
  void finish(std::uint64_t) {}
};

}  // namespace

FrameSums sum_frames(PacketSource& source, unsigned threads) {
  OrderedBatches<BatchOfSums> batches(
      source, {.workers = threads, .slots = kBatchesPerThread * threads, .consumers = 1}, [] { return BatchOfSums(); });
  FrameSums total;
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t batch = first; batch < last; ++batch) total.append(batches[batch].sums);
  });
  return total;
}

}  // namespace warpmeter::inline command
