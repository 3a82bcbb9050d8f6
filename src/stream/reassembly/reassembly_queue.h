// The lists of the connections of a shard, in one kind of storage: what segments carry is put in, and leaves in blocks.
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
#include <cstdint>
#include <memory>

#include "core/payload_batch.h"
#include "stream/reassembly/block_builder.h"
#include "stream/reassembly/in_order_buffer.h"
#include "stream/reassembly/out_of_order_queue.h"
#include "stream/reassembly/overlap_resolver.h"
#include "stream/reassembly/reassembler_options.h"
#include "stream/reassembly/shared_buffers.h"
#include "stream/reassembly/stream_storage.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

// As AnyReassemblyQueue, which says what its members do. `Storage`: stream_storage.h.
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

// Here, as connections end by the million.
template <class Storage>
inline void ReassemblyQueue<Storage>::drop(Tcb& c) {
  storage_.give_back_in_order(c);
  storage_.give_back_held(c);
  for (Stream& stream : c.streams) stream.extras.reset();
}

}  // namespace warpmeter::inline stream
