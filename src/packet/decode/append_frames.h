// How a Decoder appends frames to batches of any kind: templates, for the sources that make them of some. What has
// payload is compiled apart from what has none (decoder.cc, payload_decoder.cc): in one file the compiler would inline
// less of the loop over packets, at a tenth of its cost.
//
// Threads: as Decoder.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/decoded_frames.h"
#include "core/prefetch.h"
#include "packet/decode/decoder.h"
#include "packet/decode/ip.h"
#include "packet/decode/link_layer.h"
#include "packet/decode/packet_filter.h"
#include "packet/decode/payload_segment.h"
#include "packet/decode/plain_tcp.h"
#include "packet/decode/transport.h"
#include "packet/decode/tunnel.h"

namespace warpmeter::inline packet {
namespace {  // each of the two that include this has its own, which it may inline as it likes

// Far enough ahead to hide a cache miss, near enough to stay within the block. Saves 3 % of a run that reads a pipe;
// what is read from a file is in the cache anyhow.
constexpr std::size_t kPrefetchFrames = 8;

// The bytes from IP addresses to TCP flags, which may lie across the border of two cache lines.
inline void prefetch_headers(const Frame& frame) {
  prefetch(frame.data + kEthernetHeader);
  prefetch(frame.data + kEthernetHeader + kIp4Header + kTcpHeader);
}

inline void count(DecodeCounters& counters, Ignored why, const Frame& frame) {
  ++counters.ignored[static_cast<int>(why)];
  counters.ignored_bytes += frame.original;
}

inline void count_not_metered(DecodeCounters& counters, Ignored why, const IpPlace& place, const Frame& frame) {
  count(counters, why, frame);
  if (why == Ignored::not_ip) counters.not_ip.add(place.what.as_number());
}

template <class Batch>
std::uint64_t segments_in(std::span<Batch> batches) {
  std::uint64_t sum = 0;
  for (const Batch& batch : batches) sum += batch.count;
  return sum;
}

// What of a frame lies behind this place.
inline std::uint32_t captured_behind(std::uint32_t offset, const Frame& frame) {
  return frame.captured > offset ? frame.captured - offset : 0;
}

inline void set_time_and_place(const Frame& frame, std::uint32_t number, Segment& segment) {
  segment.time_ns = frame.time_ns;
  segment.frame = number;
}

inline SegmentAppender appender_to(std::span<SegmentBatch> batches) { return SegmentAppender(batches.front()); }
inline PackedAppender appender_to(std::span<PackedBatch> batches) { return PackedAppender(batches); }
inline PayloadAppender appender_to(std::span<PayloadBatch> batches) { return PayloadAppender(batches.front()); }
inline PacketAppender appender_to(std::span<PacketBatch> batches) { return PacketAppender(batches.front()); }
inline PolicyAppender appender_to(std::span<PolicyBatch> batches) { return PolicyAppender(batches.front()); }

inline void add(SegmentAppender& to, const IpPacket&, const FlowKey& key, const Segment& segment, std::size_t,
                const HashSeed& hash_seed) {
  const SegmentBatch::Place place = to.push(hash_flow(key, hash_seed));
  place.key = key;
  place.segment = segment;
}
inline void add(PackedAppender& to, const IpPacket&, const FlowKey& key, const Segment& segment, std::size_t,
                const HashSeed&) {
  to.push({hashed_key(key), segment});
}
// Connections have no VLAN id.
inline void add(PayloadAppender& to, const IpPacket& packet, FlowKey key, const Segment& segment, std::size_t in_frame,
                const HashSeed& hash_seed) {
  if (!is_tcp(segment)) return;
  store_be16(key.vlan, 0);
  PayloadSegment& s = to.push(shard_of(hashed_key(key)));
  set_payload_segment(packet, segment.payload_length, hash_seed, s);
  s.time_ns = segment.time_ns;
  s.frame = segment.frame;
  s.in_frame = static_cast<std::uint16_t>(std::min<std::size_t>(in_frame, 0xffff));  // of 2 MiB there are fewer
}
inline void add(PacketAppender& to, const IpPacket& packet, const FlowKey& key, const Segment& segment,
                std::size_t in_frame, const HashSeed& hash_seed) {
  add(to.segments, packet, key, segment, in_frame, hash_seed);
  add(to.payload, packet, key, segment, in_frame, hash_seed);
}

inline void add(PolicyAppender& to, const IpPacket& packet, const FlowKey& key, const Segment& segment,
                std::size_t in_frame, const HashSeed& hash_seed) {
  FlowHash hash = hash_flow(key, hash_seed);
  FlowKey connection = key;
  store_be16(connection.vlan, 0);
  hash.shard = shard_of(hashed_key(connection));
  const SegmentBatch::Place place = to.segments.push(hash);
  place.key = key;
  place.segment = segment;
  *to.next++ =
      packet_payload(packet, segment, to.vlan, static_cast<std::uint16_t>(std::min<std::size_t>(in_frame, 0xffff)));
}
// The outermost VLAN id of the packet that is added next, for those that keep it.
template <class Appender>
void set_vlan(Appender&, std::uint16_t) {}
inline void set_vlan(PolicyAppender& to, std::uint16_t vlan) { to.vlan = vlan; }

// As nearly all do: a place that is known need not be looked for.
inline bool begins_with_ethernet_ip4(const Frame& frame) {
  return frame.link == kLinkEthernet && frame.captured >= kEthernetHeader + kIp4Header &&
         load_be16(frame.data + kEthernetHeader - 2) == kTypeIp4;
}

template <class Appender, bool kSampling>
struct PlainSegments {
  Appender appender;
  const bool key_vlan;
  const HashSeed& hash_seed;
  const FlowSample& sample;
  DecodeCounters& counters;

  // `offset`: of the IP header.
  template <int kVersion>
  [[gnu::always_inline]] bool append(const Frame& frame, std::uint32_t offset, std::uint16_t vlan,
                                     std::uint32_t number) {
    PlainTcp<kVersion> tcp;
    if (!read_plain_tcp(frame.data + offset, captured_behind(offset, frame), tcp)) return false;
    const std::uint16_t outermost_vlan = vlan;
    if (!key_vlan) vlan = 0;
    const std::uint32_t behind_ip = captured_behind(offset, frame) - (kVersion == 4 ? kIp4Header : kIp6Header);
    if constexpr (std::is_same_v<Appender, PacketAppender>) push(appender.payload, tcp, behind_ip, frame, number);
    if constexpr (kSampling) {
      if (!sample.takes(hashed_key(tcp, vlan))) {
        count(counters, Ignored::not_sampled, frame);
        return true;
      }
    }
    if constexpr (std::is_same_v<Appender, PackedAppender>) {
      KeyedSegment segment{hashed_key(tcp, vlan), {}};
      set_segment(tcp, behind_ip, hash_seed, segment.segment);
      set_time_and_place(frame, number, segment.segment);
      appender.push(segment);
    } else if constexpr (std::is_same_v<Appender, PayloadAppender>) {
      push(appender, tcp, behind_ip, frame, number);
    } else {
      if constexpr (std::is_same_v<Appender, PolicyAppender>) {
        *appender.next++ = packet_payload(tcp, behind_ip, outermost_vlan);
      }
      const SegmentBatch::Place to = segments_of(appender).push(hash_of(tcp, vlan));
      set_key(tcp, vlan, to.key);
      set_segment(tcp, behind_ip, hash_seed, to.segment);
      set_time_and_place(frame, number, to.segment);
    }
    return true;
  }

  template <int kVersion>
  FlowHash hash_of(const PlainTcp<kVersion>& tcp, std::uint16_t vlan) const {
    FlowHash hash = hash_flow(hashed_key(tcp, vlan), hash_seed);
    if constexpr (std::is_same_v<Appender, PolicyAppender>) hash.shard = shard_of(tcp);
    return hash;
  }
  static SegmentAppender& segments_of(SegmentAppender& to) { return to; }
  static SegmentAppender& segments_of(PacketAppender& to) { return to.segments; }
  static SegmentAppender& segments_of(PolicyAppender& to) { return to.segments; }

  template <int kVersion>
  void push(PayloadAppender& to, const PlainTcp<kVersion>& tcp, std::uint32_t behind_ip, const Frame& frame,
            std::uint32_t number) {
    PayloadSegment& s = to.push(shard_of(tcp));
    set_payload_segment(tcp, behind_ip, hash_seed, s);
    s.time_ns = frame.time_ns;
    s.frame = number;
    s.in_frame = 0;
  }

  // Is it plain TCP? Then appends it, or counts that it is not in the sample.
  bool append(const Frame& frame, std::uint32_t number) {
    if (begins_with_ethernet_ip4(frame)) return append<4>(frame, kEthernetHeader, 0, number);
    const IpPlace place = find_ip(frame);
    if (place.version == 4) return append<4>(frame, place.offset, place.vlan, number);
    return place.version == 6 && append<6>(frame, place.offset, place.vlan, number);
  }
};

// A frame to the segments of its packets, however many they are.
template <class Batch>
class PacketsOfFrame {
 public:
  PacketsOfFrame(const Frame& frame, const PlaceInBlock& at, const DecodeOptions& options, const TunnelKinds& kinds,
                 const HashSeed& hash_seed, std::span<Batch> batches, DecodeCounters& counters)
      : frame_(frame),
        at_(at),
        options_(options),
        kinds_(kinds),
        hash_seed_(hash_seed),
        batches_(batches),
        counters_(counters) {}

  // The packet at this place, in the frame or in an MSDU of it.
  void take(const Frame& frame, const IpPlace& place) {
    IpPacket packet;
    Ignored why = place.why;
    if (!place.version || !read_ip(frame, place.version, place.offset, packet, why))
      count_not_metered(counters_, why, place, frame);
    else if (options_.decapsulate) take_innermost(frame, packet, place);
    else append(packet, place.vlan);
  }

  // The batches have room for one segment of each frame. False: the packet is not in the sample.
  bool append(const IpPacket& packet, std::uint16_t vlan) {
    const std::size_t before = found_++;
    if (before > 0) {
      for (Batch& batch : batches_) batch.make_room(at_.frames_behind + 1);
      ++counters_.sharing_frame;
    }
    FlowKey key;
    if (options_.key_vlan) store_be16(key.vlan, vlan);
    if (!options_.sample.takes_all() && !is_sampled(packet, key)) {
      leave_out(before);
      if constexpr (std::is_same_v<Batch, PacketBatch>) add_payload_alone(packet, key, before);
      return false;
    }
    Segment segment;
    read_transport(packet, key, segment, counters_, hash_seed_);
    set_time_and_place(frame_, at_.number, segment);
    auto appender = appender_to(batches_);
    set_vlan(appender, vlan);
    add(appender, packet, key, segment, before, hash_seed_);
    return true;
  }

 private:
  // Of a flow that is not in the sample. What its transport header counts is not counted either.
  void add_payload_alone(const IpPacket& packet, FlowKey key, std::size_t before) {
    Segment segment;
    DecodeCounters not_counted;
    read_transport(packet, key, segment, not_counted, hash_seed_);
    set_time_and_place(frame_, at_.number, segment);
    PayloadAppender appender(batches_.front().payload);
    add(appender, packet, key, segment, before, hash_seed_);
  }

  bool is_sampled(const IpPacket& packet, FlowKey& key) const {
    read_flow_key(packet, key);
    return options_.sample.takes(hashed_key(key));
  }

  // The bytes of a frame are counted once, with its first packet.
  void leave_out(std::size_t packets_before) {
    if (packets_before == 0) count(counters_, Ignored::not_sampled, frame_);
    else ++counters_.ignored[static_cast<int>(Ignored::not_sampled)];
  }

  void take_innermost(const Frame& frame, const IpPacket& outer, const IpPlace& place) {
    const auto closed = [this](TunnelKind kind, Unopened why) {
      counters_.unopened_tunnels.add(unopened_number(kind, why));
    };
    each_innermost(frame, outer, place, kinds_, closed, [&](const IpPacket& packet, std::uint16_t vlan) {
      if (append(packet, vlan)) counters_.decapsulated += packet.source != outer.source;
    });
  }

  const Frame& frame_;
  const PlaceInBlock at_;
  const DecodeOptions& options_;
  const TunnelKinds& kinds_;
  const HashSeed& hash_seed_;
  const std::span<Batch> batches_;
  DecodeCounters& counters_;
  std::size_t found_ = 0;  // packets that are metered, or would be if they were in the sample
};

}  // namespace

// Returns the first frame that is no plain TCP, or the end of the row.
template <class Batch>
std::size_t Decoder::append_plain(const FrameBlock& block, std::size_t begin, std::size_t end, std::uint32_t first,
                                  std::span<Batch> batches, DecodeCounters& counters) const {
  return options_.sample.takes_all() ? append_row<false>(block, begin, end, first, batches, counters)
                                     : append_row<true>(block, begin, end, first, batches, counters);
}

// Its locals stay in registers, which those of a loop with all that append_any() does would not.
template <bool kSampling, class Batch>
std::size_t Decoder::append_row(const FrameBlock& block, std::size_t begin, std::size_t end, std::uint32_t first,
                                std::span<Batch> batches, DecodeCounters& counters) const {
  const Frame* const frames = block.frames.data();
  const std::size_t to_prefetch = block.frames.size();
  PlainSegments<decltype(appender_to(batches)), kSampling> segments{appender_to(batches), options_.key_vlan, hash_seed_,
                                                                    options_.sample, counters};
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kPrefetchFrames < to_prefetch) prefetch_headers(frames[i + kPrefetchFrames]);
    if (!segments.append(frames[i], first + static_cast<std::uint32_t>(i))) return i;
  }
  return end;
}

template <class Batch>
void Decoder::append_to(std::span<Batch> batches, const FrameBlock& block, DecodeCounters& counters) const {
  if constexpr (!std::is_same_v<Batch, PayloadBatch> && !std::is_same_v<Batch, PacketBatch> &&
                !std::is_same_v<Batch, PolicyBatch>) {
    if (block.decoded) return block.decoded->append_to(batches, hash_seed_, counters);
  }
  const std::size_t frames = block.frames.size();
  const std::uint32_t first = batches.front().frames;
  for (Batch& batch : batches) {
    batch.make_room(frames);
    batch.frames += static_cast<std::uint32_t>(frames);
  }
  counters.frames += frames;
  const std::uint64_t before = segments_in(batches);
  for (std::size_t i = 0; i < frames;) {
    const std::size_t row_end = options_.filter ? i + 1 : frames;
    if (is_filtered_out(block.frames[i])) {
      count(counters, Ignored::filtered_out, block.frames[i]);
      i = row_end;
      continue;
    }
    i = append_plain(block, i, row_end, first, batches, counters);
    if (i == row_end) continue;
    append_any(block.frames[i], {first + static_cast<std::uint32_t>(i), frames - i - 1}, batches, counters);
    ++i;
  }
  counters.metered += segments_in(batches) - before;
}

// Of most frames one packet: what any number of them takes stays out of its way.
template <class Batch>
void Decoder::append_any(const Frame& frame, const PlaceInBlock& at, std::span<Batch> batches,
                         DecodeCounters& counters) const {
  const IpPlace place = find_ip(frame);
  if (place.several || options_.decapsulate) return append_several(frame, place, at, batches, counters);
  IpPacket packet;
  Ignored why = place.why;
  if (!place.version || !read_ip(frame, place.version, place.offset, packet, why))
    return count_not_metered(counters, why, place, frame);
  PacketsOfFrame<Batch>(frame, at, options_, tunnel_kinds_, hash_seed_, batches, counters).append(packet, place.vlan);
}

template <class Batch>
void Decoder::append_several(const Frame& frame, const IpPlace& place, const PlaceInBlock& at, std::span<Batch> batches,
                             DecodeCounters& counters) const {
  PacketsOfFrame<Batch> packets(frame, at, options_, tunnel_kinds_, hash_seed_, batches, counters);
  each_packet(frame, place, [&](const Frame& of, const IpPlace& in) { packets.take(of, in); });
}

}  // namespace warpmeter::inline packet
