// Streams of one shard: its TCP segments, in trace order, to blocks for a consumer. It depends on nothing but its own
// segments, so that nothing depends on who has which shard.
//
// When its memory is full, the connections longest without progress submit what they have; when that is not enough,
// they end. Connections that are silent for longer than the timeout end by themselves only once there are many; where
// the time of packets runs back by more than the timeout, these would otherwise have gone on.
//
// Source: docs/streams.md.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/payload_batch.h"
#include "tcp/reassembler_options.h"
#include "tcp/stream_lists.h"
#include "tcp/tcb_table.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter {

// What a shard did, or all of them.
struct ReassemblyCounters {
  std::uint64_t stray_segments = 0;  // that belong to no connection, and begin none
  std::uint64_t connections = 0;
  std::uint64_t blocks = 0;
  std::uint64_t early_blocks = 0;       // submitted for want of memory
  std::uint64_t early_connections = 0;  // ended for want of memory

  void add(const ReassemblyCounters& other) {
    stray_segments += other.stray_segments;
    connections += other.connections;
    blocks += other.blocks;
    early_blocks += other.early_blocks;
    early_connections += other.early_connections;
  }
};

class Reassembler {
 public:
  static constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

  // options.memory: of this shard. `consumer` takes its blocks, and must outlive it. Throws Error if options do not go
  // together.
  Reassembler(const ReassemblerOptions& options, StreamConsumer& consumer);

  // For segments that will come soon: first the one, then the other.
  void prefetch_index(std::uint64_t hash) const { table_.prefetch_index(hash); }
  // Returns the connection that it is likely to be, or null; it stays where it is.
  const Tcb* prefetch_connection(std::uint64_t hash) const {
    const Tcb* const c = table_.likely(hash);
    if (c) c->prefetch_first();
    return c;
  }

  // The next segment. `key`, `hash`: as a PayloadBatch has them. `number`: the packet's. `likely`: what
  // prefetch_connection() gave, before whatever other segments, or null.
  void take(const FlowKey& key, std::uint64_t hash, const Segment& s, const Payload& payload, std::uint64_t number,
            const Tcb* likely = nullptr);

  // There are no more: all connections end. `latest_ns`: the latest time of all segments of the trace.
  void end_all(std::int64_t latest_ns);

  std::int64_t latest_ns() const { return latest_ns_; }  // of its segments; kNoTime: there were none
  ReassemblyCounters counters() const;

 private:
  bool take_next(Tcb& c, StreamSide side, const Segment& s, const Payload& payload, std::uint64_t number);
  Tcb* still_known(Tcb* c, const Segment& s, std::uint64_t number, StreamSide side);
  Tcb& open(const FlowKey& key, std::uint64_t hash, const Segment& s, std::uint64_t number, StreamSide& side);
  bool is_idle(const Tcb& c, std::int64_t now_ns) const;
  void segment(Tcb& c, StreamSide side, const Segment& s, const Payload& payload, std::uint64_t number);
  void submit_what_is_due(Tcb& c, std::uint64_t number);
  void end(Tcb& c, StreamReason reason, std::uint64_t number);
  void end_some_idle();
  std::uint64_t memory() const;
  void keep_to_memory();
  void make_room();

  const ReassemblerOptions options_;
  StreamConsumer& consumer_;
  StreamLists lists_;
  TcbTable table_;  // what some of its connections have lies in memory of the lists
  ReassemblyCounters counters_;
  std::int64_t latest_ns_ = kNoTime;
  std::size_t hand_ = 0;           // the slot that is looked at next for being idle
  std::vector<Tcb*> by_progress_;  // for one call
};

}  // namespace warpmeter
