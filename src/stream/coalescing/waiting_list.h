// The packets of a descriptor that wait to be joined: as they come, in any order and without overlap, held as the runs
// that they make. The run that is highest in sequence grows at its end, which is what nearly all packets do; runs
// below it, of what came out of order, lie in a tree.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stream/coalescing/coalescing_packet.h"
#include "stream/coalescing/super_packet.h"

namespace warpmeter::inline stream {

class WaitingList {
 public:
  // Without `has_payload` what leaves it has no more bytes than headers. `even`: of each super-packet all packets have
  // one size, but for the last, which may be shorter.
  explicit WaitingList(bool has_payload, bool even = false) : has_payload_(has_payload), even_(even) {}

  bool is_empty() const { return packets_ == 0; }
  std::uint32_t payload() const { return payload_; }  // bytes
  std::uint32_t options() const { return options_; }  // bytes
  std::uint64_t held() const { return held_; }        // most bytes that its packets take
  std::uint64_t place() const { return place_; }      // number of its latest packet
  std::uint64_t passed() const { return passed_; }    // bytes of the trace before that one

  // Do the headers agree in all that those of a super-packet share? REQUIRES: there is one to agree with.
  bool agrees_with(const CoalescingPacket& packet) const;
  // Are bytes of it here?
  bool overlaps(const CoalescingPacket& packet) const;

  // May it be joined to the run that it follows, if it follows one, where all are to be even?
  bool is_even_with(const CoalescingPacket& packet) const;
  // Nothing more may be joined to the run that is highest in sequence.
  bool has_short_end() const { return highest_.has_short_end(); }

  // Of its packets whose frames are still needed, the number of the first; kNone: there are none.
  std::uint64_t refers_from() const { return refers_from_; }
  // Copies what it needs of frames.
  void keep();

  // REQUIRES: it overlaps none, and agrees; it is even if it has to be. `passed`: bytes of the trace before it.
  void add(const CoalescingPacket& packet, std::uint64_t number, std::uint64_t passed);

  // The end of what follows `next` without a hole.
  std::uint32_t follow(std::uint32_t next) const;

  // Of what has left: super-packets, packets in them, and bytes of headers that these would have had besides.
  struct Joined {
    std::uint64_t super_packets = 0, packets = 0, saved_bytes = 0;
  };

  // All runs, ascending, as packets at the place and the time of the latest one; `next` is the end of the highest then,
  // and the list is empty. REQUIRES: it is not.
  Joined flush(std::vector<CoalescedPacket>& out, std::uint32_t& next);

 private:
  // Sequence numbers in order: their distance from those of the first packet that came.
  std::int32_t order_of(std::uint32_t sequence) const { return static_cast<std::int32_t>(sequence - base_); }
  std::int32_t end_of(const SuperPacket& run) const { return order_of(run.end()); }
  void leave(SuperPacket& run, std::uint32_t order, Joined& joined, std::vector<CoalescedPacket>& out) const;
  void add_below(const CoalescingPacket& packet, std::uint64_t number, std::int32_t begin);

  const bool has_payload_, even_;
  SuperPacket highest_;
  std::map<std::int32_t, SuperPacket> lower_;  // by where they begin
  std::uint32_t base_ = 0, packets_ = 0, payload_ = 0, options_ = 0;
  std::uint64_t held_ = 0, place_ = 0, passed_ = 0;
  std::uint64_t refers_from_ = CoalescedPacket::kNone;
  std::int64_t time_ns_ = 0;
  // Of the packet that came first, with which the others have to agree.
  std::uint64_t agreed_ = 0;
  std::string link_header_;    // that of Ethernet needs no other place than this
  std::uint32_t headers_ = 0;  // bytes
};

}  // namespace warpmeter::inline stream
