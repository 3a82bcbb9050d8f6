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

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "core/payload_batch.h"
#include "core/prefetch.h"
#include "core/sequence_numbers.h"
#include "stream/reassembly/reassembler_options.h"
#include "stream/reassembly/reassembly_queue.h"
#include "stream/reassembly/shared_buffers.h"
#include "stream/reassembly/tcb_table.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

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

class alignas(kCacheLine) Reassembler {
 public:
  static constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

  // options.memory: of this shard. `consumer` takes its blocks; connections lie in `memory`, which shards may share if
  // it is for any thread. Both must outlive it. `shared`: for blocks of this size, which shards of one owner may share;
  // null: its own, in the same memory. Throws Error if options do not go together.
  Reassembler(const ReassemblerOptions& options, StreamConsumer& consumer,
              std::pmr::memory_resource& memory = *std::pmr::new_delete_resource(),
              std::shared_ptr<SharedBuffers> shared = nullptr);
  ~Reassembler();

  // For segments that will come soon: first the one, then the other, then what is in their connection.
  void prefetch_index(std::uint64_t hash) const { table_.prefetch_index(hash); }
  // Returns the connection that it is likely to be, or null; it stays where it is.
  Tcb* prefetch_connection(std::uint64_t hash) {
    Tcb* const c = table_.likely(hash);
    if (c) c->prefetch_first();
    return c;
  }

  void prefetch_room(const Tcb& c, std::uint32_t bytes) const { queue_.prefetch_room(c, bytes); }

  // The next segment. `number`: the packet's. `likely`: what prefetch_connection() gave, before whatever other
  // segments, or null.
  void take(const PayloadSegment& s, std::uint64_t number, Tcb* likely = nullptr) {
    latest_ns_ = std::max(latest_ns_, s.time_ns);
    StreamSide side;
    if (!likely || !likely->is_of(s, side)) take_any(s, number);
    else if (!take_next(*likely, side, s, number)) take_of(likely, side, s, number);
  }

  // The same. Returns what find() gives afterwards.
  Tcb* take_and_find(const PayloadSegment& s, std::uint64_t number, StreamSide& side) {
    latest_ns_ = std::max(latest_ns_, s.time_ns);
    Tcb* c = table_.likely(s.hash);
    if (!c || !c->is_of(s, side)) c = table_.find(s, side);
    if (!c || !(c->is_muted ? take_unheard(*c, side, s, number) : take_next(*c, side, s, number)))
      c = take_of(c, side, s, number);
    return c && c->in_use() ? c : nullptr;  // it may have had to go for want of memory
  }

  // The same of a muted connection that the segment is of, if it is the next one of its direction, and nothing waits.
  // False: does nothing. `captured`: its payload, all of which was.
  bool pass_muted(Tcb& c, StreamSide side, const Segment& s, std::uint32_t captured, std::uint64_t number) {
    Stream& stream = stream_of(c, side);
    if (!stream.is_passed || s.flags & (kSyn | kFin | kRst) || !is_at(s.sequence, stream.highest)) return false;
    if (is_idle(c, s.time_ns)) return false;
    if (captured > 0) {
      if (stream.position != stream.highest) return false;
      stream.highest += captured;
      stream.next = stream.position = stream.highest;
      stream.counters.submitted_bytes += captured;
      ++stream.data_segments;
      c.progress = number;
    }
    ++stream.segments;
    c.last_ns = std::max(c.last_ns, s.time_ns);
    latest_ns_ = std::max(latest_ns_, s.time_ns);
    return true;
  }

  // The live connection of a segment's ends, and who sent it; or null.
  Tcb* find(const PayloadSegment& s, StreamSide& side) { return table_.find(s, side); }

  // Nobody looks at blocks of this connection: until all are wanted again, those of one segment in order are not given,
  // nor counted. REQUIRES: spans, each_packet; of its segments each that take_and_find() took is followed by this.
  static void mute(Tcb& c, bool is_muted = true) {
    c.is_muted = is_muted;
    const bool waits = c.buffered > 0 || c.has_fin || c.streams[0].extras || c.streams[1].extras;
    for (Stream& stream : c.streams) stream.is_passed = is_muted && !waits && stream.state.has_segments();
  }

  // With spans: the frames of packets up to this number are about to go. Those of later ones, and of all others without
  // this, stay until all connections have ended.
  void detach_from_frames(std::uint64_t number);

  // Of the slots behind those that it looked at last, `looks` at most: whoever had been silent for longer than the
  // timeout by then ends. Takes what it looked at from `looks`; true once it has come to the last one.
  bool end_idle(std::int64_t now_ns, std::size_t& looks);

  // There are no more: all connections end. `latest_ns`: the latest time of all segments of the trace.
  void end_all(std::int64_t latest_ns);

  std::int64_t latest_ns() const { return latest_ns_; }  // of its segments; kNoTime: there were none
  ReassemblyCounters counters() const;

 private:
  bool take_next(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t number);
  bool take_unheard(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t number);
  void take_any(const PayloadSegment& s, std::uint64_t number);
  Tcb* take_of(Tcb* c, StreamSide& side, const PayloadSegment& s, std::uint64_t number);
  Tcb* still_known(Tcb* c, const PayloadSegment& s, std::uint64_t number, StreamSide side);
  Tcb& open(const PayloadSegment& s, std::uint64_t number, StreamSide& side);
  bool is_idle(const Tcb& c, std::int64_t now_ns) const { return now_ns - c.last_ns > silence_ns_; }
  void segment(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t number);
  void note_span(Tcb& c, std::uint64_t number);
  void submit_what_is_due(Tcb& c, std::uint64_t number);
  void end(Tcb& c, StreamReason reason, std::uint64_t number);
  void end_some_idle();
  std::uint64_t used() const;
  std::uint64_t held() const { return queue_.held() + table_.held(); }
  void keep_to_memory();
  void make_room();
  std::size_t make_room_by_use();
  void end_early(Tcb& c);
  void trim();

  // First, in one cache line with the beginning of the table, what every segment needs.
  std::int64_t latest_ns_ = kNoTime;
  const std::int64_t silence_ns_;  // that no connection outlives
  const std::uint32_t block_size_;
  TcbTable table_;
  const ReassemblerOptions options_;
  const std::uint64_t most_held_;
  StreamConsumer& consumer_;
  AnyReassemblyQueue queue_;
  ReassemblyCounters counters_;
  struct Spanning {
    Tcb* connection;
    std::uint64_t since;  // is there still something of then?
  };
  static constexpr std::size_t kFewSpanning = 1024;
  std::deque<Spanning> spanning_;             // by time
  std::size_t most_spanning_ = kFewSpanning;  // before those that are over are taken out
  std::size_t hand_ = 0;                      // the slot that is looked at next for being idle
  std::size_t idle_hand_ = 0;                 // the same of end_idle()
  std::vector<Tcb*> by_progress_;             // for one call
};

// What take_of() does, for the next one in order that takes no buffer, as most are: false leaves it to that.
inline bool Reassembler::take_next(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t number) {
  Stream& stream = stream_of(c, side);
  if (s.flags & (kSyn | kFin | kRst) || !stream.state.has_segments() || !is_at(s.sequence, stream.highest))
    return false;
  if (s.captured != s.payload_length || is_idle(c, s.time_ns)) return false;
  const bool leaves = queue_.has_spans() && options_.each_packet;
  if (s.captured > 0) {
    if (leaves ? !queue_.deliver_next(c, side, s, number) : !queue_.put_next(c, side, s)) return false;
    ++stream.data_segments;
    stream.highest += s.captured;
    c.progress = number;
    if (queue_.has_spans() && !leaves) note_span(c, number);
  }
  ++stream.segments;
  c.last_ns = std::max(c.last_ns, s.time_ns);
  if (c.buffered >= block_size_ || c.has_fin) submit_what_is_due(c, number);
  else if (leaves) return true;
  if (queue_.has_spans()) keep_to_memory();  // of which all that waits takes some
  return true;
}

// The same of a muted connection, whose payload is passed over.
inline bool Reassembler::take_unheard(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t number) {
  Stream& stream = stream_of(c, side);
  if (s.flags & (kSyn | kFin | kRst) || !stream.state.has_segments() || !is_at(s.sequence, stream.highest))
    return false;
  if (s.captured != s.payload_length || is_idle(c, s.time_ns)) return false;
  if (s.captured > 0) {
    if (!queue_.pass_next(c, side, s.captured)) return false;
    ++stream.data_segments;
    stream.highest += s.captured;
    c.progress = number;
  }
  ++stream.segments;
  c.last_ns = std::max(c.last_ns, s.time_ns);
  if (c.has_fin) submit_what_is_due(c, number);
  return true;
}

// Brings the segments of a batch to their reassemblers, in their order, and asks ahead for the memory that each will
// need, as flow/meter/segment_line.h does for flows.
//
// Threads: whoever has the shards.
// Gives the segments of `batch` to their shards: all, or those that are `listed`. Batches must come in trace order.
void reassemble(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch);
void reassemble(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch,
                std::span<const std::uint32_t> listed);

}  // namespace warpmeter::inline stream
