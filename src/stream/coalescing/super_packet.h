// A run of consecutive packets of one direction as one packet, while it grows and when it is finished.
//
// Source: Li, Chen, Su, "Implementation of TCP Large Receive Offload on multi-core NPU platform", section IV;
// docs/coalesce.md says which field comes from which packet.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stream/coalescing/coalescing_packet.h"

namespace warpmeter::inline stream {

// Bytes that are added at the end and never move: a super-packet while it grows. A new piece is as large as all before
// it, so that what is held is at most twice what is used, and nothing is copied twice.
class ByteRope {
 public:
  void append(const std::uint8_t* bytes, std::uint32_t size) {
    Piece& last = more_.empty() ? first_ : more_.back();
    const std::uint32_t fits = std::min(size, last.room - last.end);
    if (fits > 0) last.put(bytes, fits);
    if (size > fits) {
      Piece& added = first_.room == 0 ? first_ : more_.emplace_back();
      added.make(std::max(size - fits, size_));
      added.put(bytes + fits, size - fits);
    }
    size_ += size;
  }

  // The bytes of another, but for the first `without`. REQUIRES: something was appended to both; these lie in the
  // other's first piece.
  void append(ByteRope&& other, std::uint32_t without) {
    size_ += other.size_ - without;
    other.first_.begin += without;
    more_.push_back(std::move(other.first_));
    std::ranges::move(other.more_, std::back_inserter(more_));
    other = {};
  }

  std::uint32_t size() const { return size_; }

  // What was appended first lies behind each other. REQUIRES: something was.
  std::uint8_t* front() { return first_.data.get(); }

  // Calls take(bytes, size) piece by piece.
  template <class Take>
  void for_each(const Take& take) const {
    take(first_.data.get() + first_.begin, std::size_t{first_.end} - first_.begin);
    for (const Piece& piece : more_) take(piece.data.get() + piece.begin, std::size_t{piece.end} - piece.begin);
  }

 private:
  struct Piece {
    std::unique_ptr<std::uint8_t[]> data;
    std::uint32_t begin = 0, end = 0, room = 0;

    void make(std::uint32_t bytes) {
      data.reset(new std::uint8_t[bytes]);
      room = bytes;
    }
    void put(const std::uint8_t* bytes, std::uint32_t size) {
      std::memcpy(data.get() + end, bytes, size);
      end += size;
    }
  };
  Piece first_;  // most packets that are alone need no more
  std::vector<Piece> more_;
  std::uint32_t size_ = 0;
};

// What leaves a Coalescer: a super-packet, or a packet that nothing was joined with.
struct CoalescedPacket {
  std::uint64_t place = 0;   // number of the packet that it stands behind
  std::uint32_t order = 0;   // among those of one place
  std::uint32_t joined = 0;  // packets that it is made of
  std::int64_t time_ns = 0;
  std::uint16_t interface = 0;        // Frame::point of its first packet
  ByteRope bytes;                     // from the link header on
  std::vector<std::string> comments;  // of the packets in it, as they came
};

// Sequence numbers [sequence, end) without a hole.
class SuperPacket {
 public:
  SuperPacket() = default;
  // `number`: the packet's in the trace. Without `keeps_bytes` only headers are held.
  SuperPacket(const CoalescingPacket& first, std::uint64_t number, bool keeps_bytes);

  std::uint32_t sequence() const { return sequence_; }
  std::uint32_t end() const { return sequence_ + payload_; }
  std::uint32_t packets() const { return packets_; }

  // The next packet, which arrived later than all that are in it.
  void append(const CoalescingPacket& next, std::uint64_t number, bool keeps_bytes);

  // The next run, whose packets came at any time.
  void append(SuperPacket&& next);

  // All but place, order and time. Lengths, flags and checksums are set.
  CoalescedPacket finish() &&;

 private:
  void note(const CoalescingPacket& packet, std::uint64_t number);
  void write_headers();

  ByteRope bytes_;
  std::uint32_t sequence_ = 0, payload_ = 0, packets_ = 0;
  std::uint32_t at_ = 0, tcp_ = 0, headers_ = 0;  // where the IP header, the TCP header, the payload begin
  std::uint8_t version_ = 0;
  bool push_ = false;
  std::uint16_t window_ = 0, interface_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint64_t latest_ = 0;       // number of the packet that came last, which these two are of
  std::uint64_t payload_sum_ = 0;  // to be folded
  std::vector<std::string> comments_;
};

}  // namespace warpmeter::inline stream
