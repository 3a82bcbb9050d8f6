// A run of consecutive packets of one direction as one packet, while it grows and when it is finished.
//
// Source: Li, Chen, Su, "Implementation of TCP Large Receive Offload on multi-core NPU platform", section IV;
// docs/coalesce.md says which field comes from which packet.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stream/coalescing/byte_rope.h"
#include "stream/coalescing/coalescing_packet.h"

namespace warpmeter::inline stream {

// What leaves a Coalescer: a super-packet, or a packet that nothing was joined with.
struct CoalescedPacket {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t place = 0;   // number of the packet that it stands behind
  std::uint32_t order = 0;   // among those of one place
  std::uint32_t joined = 0;  // packets that it is made of
  std::int64_t time_ns = 0;
  std::uint16_t interface = 0;        // Frame::point of its first packet
  std::uint64_t refers_from = 0;      // number of the first packet in whose frame its bytes may lie; kNone: of none
  ByteRope bytes;                     // from the link header on
  std::vector<std::string> comments;  // of the packets in it, as they came

  // For who cuts it again: bytes of payload of its first packet, and where its headers lie.
  std::uint32_t segment = 0;
  std::uint16_t ip = 0, tcp = 0, headers = 0;  // where those of IP and TCP begin; bytes of all
};

// Sequence numbers [sequence, end) without a hole.
class SuperPacket {
 public:
  // Begins anew. `number`: the packet's in the trace. Without `has_payload` there are only headers.
  void begin(const CoalescingPacket& first, std::uint64_t number, bool has_payload);

  std::uint32_t sequence() const { return sequence_; }
  std::uint32_t end() const { return sequence_ + payload_; }
  std::uint32_t packets() const { return packets_; }

  // Where all are to have one size: may a packet with so much payload be the next, or a run? And is it ended by a
  // shorter one?
  bool takes(std::uint32_t payload) const { return !has_short_end() && payload <= segment_; }
  bool takes(const SuperPacket& next) const {
    return takes(next.segment_) && (next.segment_ == segment_ || next.packets_ == 1);
  }
  bool has_short_end() const { return last_ < segment_; }

  // The next packet, which arrived later than all that are in it.
  void append(const CoalescingPacket& next, std::uint64_t number, bool has_payload);

  // The next run, whose packets came at any time.
  void append(SuperPacket&& next);

  // Copies what lies in frames.
  void keep() { bytes_.keep(); }

  // All but place, order, time and where its bytes may lie. Lengths, flags and checksums are set.
  CoalescedPacket finish();

 private:
  void note(const CoalescingPacket& packet, std::uint64_t number);
  void write_headers();

  ByteRope bytes_;
  std::uint32_t sequence_ = 0, payload_ = 0, packets_ = 0;
  std::uint32_t at_ = 0, tcp_ = 0, headers_ = 0;  // where the IP header, the TCP header, the payload begin
  std::uint32_t segment_ = 0, last_ = 0;          // bytes of payload of the first packet and of the last
  std::uint8_t version_ = 0;
  bool push_ = false;
  std::uint16_t window_ = 0, interface_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint64_t latest_ = 0;       // number of the packet that came last, which these two are of
  std::uint64_t payload_sum_ = 0;  // to be folded
  std::vector<std::string> comments_;
};

}  // namespace warpmeter::inline stream
