// The lists of the connections of a shard: what segments carry is put in, and leaves in blocks. A ReassemblyQueue has
// them in one kind of storage; AnyReassemblyQueue is what a Reassembler has, in the kind that its options name.
//
// What is in order goes to the InOrderBuffer, as long as nothing waits; what is not, and what comes behind that, to the
// OutOfOrderQueue. When a gap is filled, what had to wait behind it moves to the in-order buffer. When bytes come among
// those that are in order, all of these become extents.
//
// Source: docs/streams.md.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/payload_batch.h"
#include "stream/reassembly/counted_memory.h"
#include "stream/reassembly/extent_pool.h"
#include "stream/reassembly/in_order_buffer.h"
#include "stream/reassembly/out_of_order_queue.h"
#include "stream/reassembly/reassembler_options.h"
#include "stream/reassembly/shared_buffers.h"
#include "stream/reassembly/stream_storage.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

// Applies an overlap policy to what waits: by every policy but `first` a newer segment may win bytes of older ones.
//
// The list is as with `first`, entry by entry; what differs is the bytes, and which segments they are of. All that a
// policy asks is how the payload of the newer segment lies to that of the segment which the byte is of so far.
//
// Source: docs/streams.md, "Which copy wins".
//
// Threads: one owner.
// Of the payload of a segment, as far as it was captured: its first number, and that behind its last.
struct SegmentRange {
  std::int64_t start, end;
};

class OverlapResolver {
 public:
  explicit OverlapResolver(OverlapPolicy policy) : policy_(policy) {}

  // Does what came first stay? Then nothing below is called, and entries of several segments may be one extent.
  bool keeps_first() const { return policy_ == OverlapPolicy::first; }

  // All bytes of an extent are of this segment.
  void set_segment(ExtentNumber extent, SegmentRange segment);

  // A segment of this direction, whose payload lies at `data`, takes those bytes that it wins from the extents that
  // have them. REQUIRES: these are copies of their own, and nothing is in the in-order buffer.
  void overwrite(ExtentPool& extents, Tcb& c, StreamSide side, const SegmentRange& segment, const std::uint8_t* data);

  // Bytes that this takes for each extent.
  std::size_t extent_bytes() const { return keeps_first() ? 0 : sizeof(SegmentRange); }
  // REQUIRES: there are no extents.
  void forget() { give_room_back(segments_); }

 private:
  const OverlapPolicy policy_;
  std::vector<SegmentRange> segments_;  // by extent
};

// As AnyReassemblyQueue below, which says what its members do. `Storage`: stream_storage.h.
template <class Storage>
class ReassemblyQueue {
 public:
  ReassemblyQueue(const ReassemblerOptions& options, StreamConsumer& consumer, std::shared_ptr<SharedBuffers> shared);

  void begin_at(Tcb& c, StreamSide side, std::int64_t start);
  void put(Tcb& c, StreamSide side, std::int64_t start, const PayloadSegment& s, bool in_order);
  bool put_next(Tcb& c, StreamSide side, const PayloadSegment& s) {
    const Stream& stream = stream_of(c, side);
    // Policies but `first` have nothing in order, and therefore no room for it.
    if (c.first || !in_order_.fits(c, s.captured) || !in_order_.follows(stream, stream.highest)) return false;
    in_order_.append(c, side, stream.highest, s.data, s.captured, 1);
    return true;
  }
  bool deliver_next(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t packet);
  bool pass_next(Tcb& c, StreamSide side, std::uint32_t length);
  void submit(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait) {
    give_block(c, reason, packet, wait);
    storage_.give_back_in_order(c);
  }
  void deliver(Tcb& c, std::uint64_t packet, bool wait) {
    give_block(c, StreamReason::size, packet, wait);
    if (c.capacity > shared_->blocks.block_room()) storage_.give_back_in_order(c);  // of the heap
  }
  void detach_from_frames(Tcb& c) { storage_.detach(c, out_of_order_.extents()); }
  bool reaches_fin(const Tcb& c, StreamSide side) const { return out_of_order_.reaches_fin(c, side); }
  void count_last_gap(Stream& stream) { block_.give_up_end(stream); }
  void drop(Tcb& c);

  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t used() const { return storage_.used() + out_of_order_.used(); }
  std::uint64_t held() const { return storage_.used() + held_beside(); }
  std::uint64_t held_beside() const { return out_of_order_.held(); }
  void trim();
  void note_given_back(std::uint64_t held_before) {
    shared_->note_given_back(held_before - std::min(held_before, held_beside()));
  }

 private:
  void put_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                 bool in_order);
  void enter_behind(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length);
  void enter_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                   ExtentNumber below);
  void enter_extent(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                    ExtentNumber below);
  void move_what_follows(Tcb& c);
  void make_extents(Tcb& c);
  void give_block(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait);
  void add_to_block(Tcb& c, ExtentNumber stop);
  void drop_list(Tcb& c, ExtentNumber stop);

  const std::uint32_t gap_packets_;
  StreamConsumer& consumer_;
  const std::shared_ptr<SharedBuffers> shared_;
  OverlapResolver overlaps_;
  Storage storage_;
  InOrderBuffer<Storage> in_order_;
  OutOfOrderQueue out_of_order_;
  BlockBuilder block_;
  std::uint64_t blocks_ = 0;
};

extern template class ReassemblyQueue<CopiedBytes>;
extern template class ReassemblyQueue<FrameSpans>;

// Here, as every segment is asked for it. What was cut, or given up, is looked at by give_block().
template <class Storage>
inline bool ReassemblyQueue<Storage>::pass_next(Tcb& c, StreamSide side, std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  if (c.buffered > 0 || !stream.state.has_position() || stream.position != stream.highest) return false;
  if (c.streams[0].extras || c.streams[1].extras) return false;
  stream.position += length;
  stream.next = stream.position;
  stream.counters.submitted_bytes += length;
  c.max_buffered = std::max(c.max_buffered, length);
  ++blocks_;
  return true;
}

template <class Storage>
inline bool ReassemblyQueue<Storage>::deliver_next(Tcb& c, StreamSide side, const PayloadSegment& s,
                                                   std::uint64_t packet) {
  const Stream& stream = stream_of(c, side);
  const auto offset = static_cast<std::uint64_t>(stream.position - stream.base);
  if (!pass_next(c, side, s.captured)) return false;
  const StreamPiece piece(s.data, s.captured);
  const SubBlock sub_block{side, offset, 0, s.captured, {&piece, 1}};
  consumer_.take(c, {StreamReason::size, packet, {&sub_block, 1}});
  return true;
}

// Here, as connections end by the million.
template <class Storage>
inline void ReassemblyQueue<Storage>::drop(Tcb& c) {
  storage_.give_back_in_order(c);
  storage_.give_back_held(c);
  for (Stream& stream : c.streams) stream.extras.reset();
}

// The ReassemblyQueue of a shard, in the kind of storage that its options name. Here each call is brought to it; what
// is behind is compiled for one kind or the other, and asks no more.
class AnyReassemblyQueue {
  // First, as those below return what it returns.
  template <class Self, class Act>
  static decltype(auto) in_storage(Self& self, const Act& act) {
    return self.has_spans_ ? act(*self.spans_) : act(*self.copied_);
  }

 public:
  // `consumer` takes the blocks, and must outlive it. `shared`: for such blocks.
  AnyReassemblyQueue(const ReassemblerOptions& options, StreamConsumer& consumer, std::shared_ptr<SharedBuffers> shared)
      : has_spans_(options.spans) {
    if (has_spans_) spans_.emplace(options, consumer, std::move(shared));
    else copied_.emplace(options, consumer, std::move(shared));
  }

  // Do blocks point into frames?
  bool has_spans() const { return has_spans_; }

  // A direction of which nothing was submitted begins at this number, at or below what the list has of it.
  void begin_at(Tcb& c, StreamSide side, std::int64_t start) {
    in_storage(*this, [&](auto& queue) { queue.begin_at(c, side, start); });
  }

  // The payload of a segment, whose first byte has this number. `in_order`: it starts at or above the highest end that
  // was seen before.
  void put(Tcb& c, StreamSide side, std::int64_t start, const PayloadSegment& s, bool in_order) {
    in_storage(*this, [&](auto& queue) { queue.put(c, side, start, s, in_order); });
  }

  // The same of all of a payload that starts at the highest end, where nothing is missing, nothing waits, and there is
  // room; else does nothing, and returns false.
  bool put_next(Tcb& c, StreamSide side, const PayloadSegment& s) {
    return in_storage(*this, [&](auto& queue) { return queue.put_next(c, side, s); });
  }

  // What put_next() and deliver() do together of a payload that need not be copied: it leaves at once, and was in no
  // buffer. False: does nothing. REQUIRES: spans.
  bool deliver_next(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t packet) {
    return spans_->deliver_next(c, side, s, packet);
  }

  // The same without a block for anybody.
  bool pass_next(Tcb& c, StreamSide side, std::uint32_t length) { return spans_->pass_next(c, side, length); }

  // Asks for where the next payload of this length will go.
  void prefetch_room(const Tcb& c, std::uint32_t length) const {
    if (has_spans_) InOrderBuffer<FrameSpans>::prefetch_room(c, length);
    else InOrderBuffer<CopiedBytes>::prefetch_room(c, length);
  }

  // The list as a block; gives back what it lay in. `wait`: only what stands before the first gap that is worth waiting
  // for.
  void submit(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait) {
    in_storage(*this, [&](auto& queue) { queue.submit(c, reason, packet, wait); });
  }

  // The same as submit() for `size`, but for the buffer of what is in order: the connection keeps it for what comes
  // next.
  void deliver(Tcb& c, std::uint64_t packet, bool wait) {
    in_storage(*this, [&](auto& queue) { queue.deliver(c, packet, wait); });
  }

  // What waits no longer points into frames.
  void detach_from_frames(Tcb& c) {
    in_storage(*this, [&](auto& queue) { queue.detach_from_frames(c); });
  }

  // Whether a direction whose FIN was seen has all up to it, but what the capture cut.
  bool reaches_fin(const Tcb& c, StreamSide side) const {
    return in_storage(*this, [&](const auto& queue) { return queue.reaches_fin(c, side); });
  }

  // What is missing at the end, where FIN tells; then the connection's memory is given back. REQUIRES: all of its list
  // was submitted.
  void count_last_gap(Stream& stream) {
    in_storage(*this, [&](auto& queue) { queue.count_last_gap(stream); });
  }
  void drop(Tcb& c) {
    in_storage(*this, [&](auto& queue) { queue.drop(c); });
  }

  std::uint64_t blocks() const {
    return in_storage(*this, [](const auto& queue) { return queue.blocks(); });
  }
  // Bytes that lists, and what is kept beside them, use; and those that are held for them, also where nobody uses them
  // now, but for buffers, which are others' then. Connections themselves are not counted. held_beside(): but for what
  // lies in buffers.
  std::uint64_t used() const {
    return in_storage(*this, [](const auto& queue) { return queue.used(); });
  }
  std::uint64_t held() const {
    return in_storage(*this, [](const auto& queue) { return queue.held(); });
  }
  std::uint64_t held_beside() const {
    return in_storage(*this, [](const auto& queue) { return queue.held_beside(); });
  }
  // What is held without use goes, where it can; then the heap is told. `held_before`: held_beside() before that.
  void trim() {
    in_storage(*this, [](auto& queue) { queue.trim(); });
  }
  void note_given_back(std::uint64_t held_before) {
    in_storage(*this, [&](auto& queue) { queue.note_given_back(held_before); });
  }

 private:
  const bool has_spans_;
  std::optional<ReassemblyQueue<CopiedBytes>> copied_;  // one of both
  std::optional<ReassemblyQueue<FrameSpans>> spans_;
};

}  // namespace warpmeter::inline stream
