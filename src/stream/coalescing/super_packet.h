// A run of consecutive packets of one direction as one packet, while it grows and when it is finished.
//
// Source: Li, Chen, Su, "Implementation of TCP Large Receive Offload on multi-core NPU platform", section IV;
// docs/coalesce.md says which field comes from which packet.
//
// Threads: one owner, but for to_gso_form().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stream/coalescing/coalescing_packet.h"

namespace warpmeter::inline stream {

// The bytes of a packet that is put together: headers, which are copied, and behind them pieces of payload, which stay
// in the frames that they came in until they are kept.
class ByteRope {
 public:
  // Forgets what it had.
  void begin(const std::uint8_t* headers, std::uint32_t size) {
    clear();
    if (size > usual_.size()) long_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    std::memcpy(front(), headers, size);
    size_ = front_size_ = size;
  }

  // Bytes that somebody else keeps where they are until keep(), or until nobody asks for them. REQUIRES: there are
  // some.
  void refer(const std::uint8_t* bytes, std::uint32_t size) {
    if (first_.size == 0) first_ = {bytes, size};
    else more_.push_back({bytes, size});
    size_ += size;
  }

  // The payload of another.
  void append(ByteRope&& other) {
    if (other.first_.size > 0) more_.push_back(other.first_);
    more_.insert(more_.end(), other.more_.begin(), other.more_.end());
    std::ranges::move(other.kept_, std::back_inserter(kept_));
    size_ += other.size_ - other.front_size_;
    other.clear();
  }

  // Copies what it refers to, all to one place. REQUIRES: nothing of another was appended; so what was kept before
  // comes before it.
  void keep() {
    const bool is_all = first_.size > 0 && !first_.is_kept;
    const auto begin = is_all ? more_.begin() : std::ranges::find(more_, false, &Piece::is_kept);
    std::size_t size = is_all ? first_.size : 0;
    for (auto piece = begin; piece != more_.end(); ++piece) size += piece->size;
    if (size == 0) return;
    kept_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
    std::uint8_t* to = kept_.back().get();
    const Piece kept{to, static_cast<std::uint32_t>(size), true};
    const auto copy = [&to](const Piece& piece) {
      std::memcpy(to, piece.data, piece.size);
      to += piece.size;
    };
    if (is_all) copy(first_);
    std::for_each(begin, more_.end(), copy);
    more_.erase(begin, more_.end());
    if (is_all) first_ = kept;
    else more_.push_back(kept);
  }

  // Gives all of it to one that is empty and gets no more room than it needs; nothing is left, but the room is.
  void move_to(ByteRope& other) {
    other.usual_ = usual_;
    other.long_ = std::move(long_);
    other.first_ = first_;
    other.more_ = more_;
    other.kept_ = std::move(kept_);
    other.size_ = size_;
    other.front_size_ = front_size_;
    clear();
  }

  std::uint32_t size() const { return size_; }
  std::uint32_t front_size() const { return front_size_; }
  std::uint8_t* front() { return long_ ? long_.get() : usual_.data(); }  // the headers
  const std::uint8_t* front() const { return long_ ? long_.get() : usual_.data(); }

  // Calls take(bytes, size) piece by piece.
  template <class Take>
  void for_each(const Take& take) const {
    take(front(), std::size_t{front_size_});
    each_of_payload([&take](const std::uint8_t* bytes, std::size_t size, bool) { take(bytes, size); });
  }
  // Of the payload alone, as take(bytes, size, is_kept).
  template <class Take>
  void each_of_payload(const Take& take) const {
    if (first_.size > 0) take(first_.data, std::size_t{first_.size}, first_.is_kept);
    for (const Piece& piece : more_) take(piece.data, std::size_t{piece.size}, piece.is_kept);
  }
  // Where what is kept lies. The rope still refers to it.
  std::vector<std::unique_ptr<std::uint8_t[]>> take_kept() { return std::move(kept_); }

 private:
  struct Piece {
    const std::uint8_t* data = nullptr;
    std::uint32_t size = 0;
    bool is_kept = false;  // in `kept_`
  };

  void clear() {
    long_.reset();
    first_ = {};
    more_.clear();
    kept_.clear();
    size_ = front_size_ = 0;
  }

  static constexpr std::size_t kUsualHeaders = 128;
  std::array<std::uint8_t, kUsualHeaders> usual_;  // the headers, unless these are longer
  std::unique_ptr<std::uint8_t[]> long_;           // if so
  Piece first_;                                    // most packets that are alone have no other
  std::vector<Piece> more_;
  std::vector<std::unique_ptr<std::uint8_t[]>> kept_;
  std::uint32_t size_ = 0, front_size_ = 0;
};

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

  // Sets all of a new one but place, order, time and where its bytes may lie. Lengths, flags and checksums are right.
  void finish(CoalescedPacket& packet);

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

// As systems pass large packets between themselves and to cards that cut them (GSO, TSO): with what the one who cuts it
// needs to know, and without a checksum, which each of the packets gets then.
//
// Source: Documentation/networking/segmentation-offloads.rst of Linux; virtio 1.2, section 5.1.6.2.
struct GsoForm {
  bool is_ip6 = false;
  std::uint16_t headers = 0;  // bytes, from the link header on
  std::uint16_t segment = 0;  // bytes of payload of each packet but the last
  // Where what is summed begins, and where in it the sum goes.
  std::uint16_t checksum_start = 0, checksum_offset = 0;
};

// In place of its checksum TCP has the sum of the pseudo header from now on. REQUIRES: it was made of several packets,
// and `even` (CoalescerOptions). Threads: any, each packet by one.
GsoForm to_gso_form(CoalescedPacket& packet);

}  // namespace warpmeter::inline stream
