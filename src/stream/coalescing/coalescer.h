// Joins the packets of one shard: a descriptor for each direction of a connection, a list of packets that wait in it,
// and what makes the list leave as super-packets.
//
// What it does depends on the packets of its shard alone, and on how many bytes of the trace lie between them, which
// bounds its memory: a list leaves when the trace has gone on for `window` bytes since its latest packet, and, where
// lists, or descriptors, take more than the shard has, those whose latest packet is the oldest. So nothing depends on
// who has which shard, nor on where batches end.
//
// Source: Li, Chen, Su, "Implementation of TCP Large Receive Offload on multi-core NPU platform"; docs/coalesce.md has
// the rules, and where they are not the paper's.
//
// Threads: one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "stream/coalescing/coalescing_packet.h"
#include "stream/coalescing/descriptor_table.h"
#include "stream/coalescing/super_packet.h"
#include "stream/coalescing/waiting_list.h"

namespace warpmeter::inline stream {

// Why a list has left.
enum class FlushReason : std::uint8_t {
  threshold,       // its payload reached it
  full,            // the next packet has no room in a packet of IP
  push,            // PSH
  passing_packet,  // of the same direction
  repeated,        // likewise
  header,          // that of the next packet differs
  timeout,
  memory,
  end,  // of the input
  // Where packets are forwarded as they come, and nowhere else:
  size,          // a shorter packet than the first has ended it, or the next one is longer
  out_of_order,  // the next packet is ahead, and what is before it is not waited for
  round,         // no packet waits to be taken any more
};
inline constexpr std::size_t kFlushReasons = 12, kFlushReasonsOfFiles = 9;
// Keys of --stats; people read them with spaces.
inline constexpr std::array<const char*, kFlushReasons> kFlushReasonNames = {
    "threshold", "full",   "push", "passing_packet", "repeated",     "header",
    "timeout",   "memory", "end",  "size",           "out_of_order", "round"};

// What becomes of a packet.
enum class Outcome : std::uint8_t {
  passes,  // untouched
  waits,   // or is dropped
  alone,   // leaves at once, up to the end of its IP packet: nothing waits that it follows, and it waits for nothing
};

struct CoalescerOptions {
  std::uint32_t threshold = 65'000;                                   // bytes of payload that make a list leave
  bool push = true;                                                   // PSH does, too
  std::int64_t interval_ns = 1'000'000;                               // of packets, before there were two
  std::uint32_t timeout_intervals = 10;                               // average ones without a packet, at least 1
  std::uint64_t window = std::numeric_limits<std::uint64_t>::max();   // bytes of the trace that a list waits for
  std::uint64_t held = std::numeric_limits<std::uint64_t>::max();     // bytes of lists, of a shard
  std::size_t descriptors = std::numeric_limits<std::size_t>::max();  // of a shard, at least 1
  bool keeps_bytes = true;                                            // else nothing is made of packets but counts

  // For packets that are forwarded as they come:
  bool even = false;           // packets of one size, but for the last, as who cuts it again needs them
  bool sorts = true;           // what is ahead waits for what is before it; else the direction begins anew with it
  bool drops_repeats = false;  // of what the direction has given before, once: see Coalescer::drops()
  bool times_out = true;       // by the average interval
  std::int64_t longest_wait_ns = std::numeric_limits<std::int64_t>::max();  // whatever the average says
};

// These with so many bytes of memory for all shards: half of it for what waits for its place in the output, three
// eighths for lists, one for descriptors.
CoalescerOptions with_memory(CoalescerOptions options, std::uint64_t memory);

struct CoalescerCounters {
  std::uint64_t taken = 0, repeated = 0;        // packets
  std::uint64_t dropped = 0;                    // of those repeated
  std::uint64_t super_packets = 0, joined = 0;  // and the packets in them
  std::uint64_t saved_bytes = 0;                // of headers that are no more
  std::array<std::uint64_t, kFlushReasons> flushes = {};

  void add(const CoalescerCounters& other);
};

class Coalescer {
 public:
  static constexpr std::uint32_t kMostPayload = 65'535 - 40 - 60;  // of a super-packet, bytes
  static constexpr std::uint32_t kMostOptions = 1 << 20;           // of its packets, bytes: readers refuse long blocks
  static constexpr std::uint32_t kMostAhead = 1 << 20;             // sequence numbers that a list waits for

  explicit Coalescer(const CoalescerOptions& options);

  void prefetch_index(const CoalescingPacket& packet) const { table_.prefetch_index(packet.hash.hash); }
  void prefetch_descriptor(const CoalescingPacket& packet) const { table_.prefetch_descriptor(packet.hash.hash); }
  void prefetch_list(const CoalescingPacket& packet) const { table_.prefetch_list(packet.hash.hash); }

  // The next packet of the shard, with a key. What else leaves is added to `out`, and was before it. `passed`: bytes of
  // the trace before it, as captured.
  Outcome take(const CoalescingPacket& packet, std::uint64_t number, std::uint64_t passed,
               std::vector<CoalescedPacket>& out);

  // The trace has gone on to here, with none of its packets. May be called at any time: it makes no difference but to
  // when lists leave.
  void go_on(std::uint64_t passed, std::vector<CoalescedPacket>& out);

  // The trace has ended here.
  void end(std::uint64_t passed, std::vector<CoalescedPacket>& out);

  // The frames of packets before this one go: what waits of them is copied. Without this, frames have to stay until
  // what they became has left and nobody asks for it any more. REQUIRES: not before where it was called last.
  void keep_before(std::uint64_t number);

  // The first packet whose frame is still needed for what waits; CoalescedPacket::kNone: there is none.
  std::uint64_t refers_from();

  // All that waits leaves: no packet is there to be taken just now.
  void end_round(std::vector<CoalescedPacket>& out);

  // What has waited for its timeout leaves. Returns when the next would, ns since 1970 UTC; nothing: nothing waits.
  std::optional<std::int64_t> flush_late(std::int64_t now_ns, std::vector<CoalescedPacket>& out);

  // The first place at which something may still leave; nothing: nothing waits.
  std::optional<std::uint64_t> first_open_place();

  CoalescerCounters counters() const { return counters_; }

 private:
  DirectionDescriptor& begin(const CoalescingPacket& packet, std::vector<CoalescedPacket>& out);
  void arrived(DirectionDescriptor& d, std::int64_t time_ns, std::vector<CoalescedPacket>& out);
  std::int64_t timeout_of(const DirectionDescriptor& d) const;
  bool is_repeated(const DirectionDescriptor& d, const CoalescingPacket& packet) const;
  bool drops(DirectionDescriptor& d, const CoalescingPacket& packet) const;
  void pass(DirectionDescriptor& d, const CoalescingPacket& packet, std::vector<CoalescedPacket>& out);
  void make_room(DirectionDescriptor& d, const CoalescingPacket& packet, std::vector<CoalescedPacket>& out);
  Outcome join(DirectionDescriptor& d, const CoalescingPacket& packet, std::uint64_t number, std::uint64_t passed,
               std::vector<CoalescedPacket>& out);
  void flush(DirectionDescriptor& d, FlushReason reason, std::vector<CoalescedPacket>& out);
  std::optional<FlushReason> ends_list(const CoalescingPacket& packet, std::uint32_t payload) const;
  void leave_alone(DirectionDescriptor& d, const CoalescingPacket& packet, FlushReason reason);
  static void set_next(DirectionDescriptor& d, std::uint32_t next);
  bool is_past(const DirectionDescriptor& d, std::uint64_t passed) const;
  WaitingList* first_that_needs_frames();

  const CoalescerOptions options_;
  const std::int64_t most_average_ns_;  // whose multiple is not beyond the longest wait
  DescriptorTable table_;
  std::vector<std::unique_ptr<WaitingList>> free_lists_;
  // Lists that need frames, by the first packet whose frame they need. Some have left since, and their descriptor may
  // have another list, of other packets.
  struct NeedsFrames {
    std::uint64_t from;
    std::uint32_t descriptor;
  };
  std::deque<NeedsFrames> need_frames_;
  std::uint64_t held_ = 0;  // by all lists
  CoalescerCounters counters_;
};

}  // namespace warpmeter::inline stream
