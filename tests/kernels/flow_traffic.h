// Segments of a few flows with the marks that earlier kernels would have given them: calm stretches, in which order
// does not matter, and everything that disturbs them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/device_batch.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {

struct MarkedPacket {
  Packet packet;
  std::uint32_t flow = 0;
  std::uint8_t mark = 0;
};

class FlowTraffic {
 public:
  static constexpr std::uint64_t kUsualDisorder = 5;

  // Of `unrest` packets one disturbs its flow's calm; of `disorder` segments one goes back in the sequence numbers, and
  // of four times as many one leaves some out. The last of the flows is none: a segment that the device has no room
  // for.
  FlowTraffic(std::uint32_t flows, std::uint64_t unrest, std::uint64_t seed, std::uint64_t disorder = kUsualDisorder)
      : random_(seed), unrest_(unrest), disorder_(disorder), highest_(flows) {
    for (std::uint32_t& highest : highest_)
      highest = random_() % 2 ? 0u - 1000u : static_cast<std::uint32_t>(random_());
  }

  std::uint32_t no_flow() const { return static_cast<std::uint32_t>(highest_.size() - 1); }

  std::vector<MarkedPacket> packets(std::size_t count) {
    std::vector<MarkedPacket> packets;
    while (packets.size() < count) packets.push_back(next());
    return packets;
  }

 private:
  static constexpr std::uint8_t kAck = 16, kPush = 8;
  static constexpr std::uint32_t kLeftOut = 3000;

  std::uint64_t draw(std::uint64_t n) { return random_() % n; }

  MarkedPacket next() {
    MarkedPacket m;
    if (draw(40) == 0) favorite_ = static_cast<std::uint32_t>(draw(highest_.size()));
    m.flow = static_cast<std::uint32_t>(draw(3) ? favorite_ : draw(highest_.size()));
    m.packet.key = numbered_key(m.flow);
    m.packet.number = number_ += 1 + draw(3);
    time_ns_ += static_cast<std::int64_t>(draw(20));
    const std::uint32_t before = highest_[m.flow];
    calm(m);
    const std::uint32_t left_out = highest_[m.flow] - before - m.packet.segment.payload_length;
    if (draw(unrest_) == 0) disturb(m.packet.segment, m.flow);
    if (disorder_ > kUsualDisorder) follow(m, before, left_out == kLeftOut ? kLeftOut : 0);
    return m;
  }

  // The flow goes on behind its highest segment, and behind what is left out.
  void follow(const MarkedPacket& m, std::uint32_t before, std::uint32_t left_out) {
    const Segment& s = m.packet.segment;
    highest_[m.flow] = before;
    if (!is_tcp(s) || (s.flags & kRst) || (m.mark & kDuplicate)) return;
    const std::uint32_t end = s.sequence + s.payload_length + (s.flags & kSyn ? 1 : 0) + (s.flags & kFin ? 1 : 0);
    if (static_cast<std::int32_t>(end - before) > 0) highest_[m.flow] = end;
    highest_[m.flow] += left_out;
  }

  void calm(MarkedPacket& m) {
    Segment& s = m.packet.segment;
    s.time_ns = time_ns_ - static_cast<std::int64_t>(draw(10));
    s.kind = draw(30) ? kTcpSegment : 0;
    s.payload_length = static_cast<std::uint32_t>(draw(5) ? draw(1500) : 0);
    s.length = 40 + s.payload_length;
    s.window = static_cast<std::uint16_t>(draw(20));
    s.flags = draw(4) ? kAck : kAck | kPush;
    s.sequence = highest_[m.flow];
    if (draw(disorder_) == 0) s.sequence -= static_cast<std::uint32_t>(draw(20'000));
    else highest_[m.flow] += s.payload_length + static_cast<std::uint32_t>(draw(4 * disorder_) ? 0 : kLeftOut);
    if (draw(20) == 0) m.mark = kDuplicate;
    else if (draw(10) == 0 && is_data(s)) m.mark = kRetransmitted | kRepeated;
  }

  void disturb(Segment& s, std::uint32_t flow) {
    constexpr std::uint32_t kJumps[] = {1u << 27, (1u << 28) - 1, 1u << 28, (1u << 28) + 1, 1u << 29,
                                        1u << 30, (1u << 31) - 1, 1u << 31, (1u << 31) + 1, 0u - (1u << 28)};
    switch (draw(9)) {
      case 0: s.flags |= kSyn; break;
      case 1: s.flags |= kFin; break;
      case 2: s.flags |= kRst; break;
      case 3: s.time_ns -= static_cast<std::int64_t>(draw(5000)); break;
      case 4: time_ns_ += static_cast<std::int64_t>(1500 + draw(3000)); break;  // idle timeouts of all
      case 5: s.time_ns += static_cast<std::int64_t>(draw(3000)); break;
      case 6: s.sequence += kJumps[draw(10)]; break;
      case 7: s.sequence -= kJumps[draw(10)]; break;
      case 8: highest_[flow] += kJumps[draw(10)]; break;
    }
  }

  std::mt19937_64 random_;
  const std::uint64_t unrest_;
  const std::uint64_t disorder_;
  std::vector<std::uint32_t> highest_;
  std::uint32_t favorite_ = 0;
  std::uint64_t number_ = 0;
  std::int64_t time_ns_ = 0;
};

}  // namespace warpmeter::test
