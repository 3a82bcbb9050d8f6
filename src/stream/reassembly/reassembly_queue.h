// The lists of the connections of a shard: what segments carry is put in, and leaves in blocks.
//
// In order, a byte is copied once, into the buffer that its block is given in. What has to wait for others is held in
// another one until they come. A sub-block whose bytes do not lie behind each other even so is put together when it is
// submitted. With spans nothing is copied while it comes: pieces point into the frames, until detach_from_frames().
//
// Source: docs/streams.md.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <vector>

#include "core/payload_batch.h"
#include "core/prefetch.h"
#include "stream/reassembly/copy_bytes.h"
#include "stream/reassembly/counted_memory.h"
#include "stream/reassembly/extent_pool.h"
#include "stream/reassembly/overlap_resolver.h"
#include "stream/reassembly/reassembler_options.h"
#include "stream/reassembly/shared_buffers.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

class ReassemblyQueue {
 public:
  // `consumer` takes the blocks, and must outlive it. `shared`: for such blocks.
  ReassemblyQueue(const ReassemblerOptions& options, StreamConsumer& consumer, std::shared_ptr<SharedBuffers> shared);

  // A direction of which nothing was submitted begins at this number, at or below what the list has of it.
  void begin_at(Tcb& c, StreamSide side, std::int64_t start);

  // The payload of a segment, whose first byte has this number. `in_order`: it starts at or above the highest end that
  // was seen before.
  void put(Tcb& c, StreamSide side, std::int64_t start, const PayloadSegment& s, bool in_order);

  // The same of all of a payload that starts at the highest end, where nothing is missing, nothing waits, and there is
  // room; else does nothing, and returns false.
  bool put_next(Tcb& c, StreamSide side, const PayloadSegment& s) {
    const Stream& stream = stream_of(c, side);
    // Policies but `first` have no in-order buffer, and therefore no room in one.
    if (c.first || !has_in_order_room(c, in_order_bytes(s.captured)) || !follows_in_order(stream, stream.highest))
      return false;
    append_in_order(c, side, stream.highest, s.data, s.captured, 1);
    return true;
  }

  // For where the next payload of so many bytes will go: its first lines, for the machine sees by itself where a long
  // one goes on. None of it is a branch, which lengths would decide, and nobody foresees these.
  void prefetch_room(const Tcb& c, std::uint32_t bytes) const {
    constexpr std::uint32_t kLines = 4;
    const std::uint8_t* const to = c.buffer + c.used;
    const std::uint32_t last = std::min<std::uint32_t>(in_order_bytes(bytes), kLines * kCacheLine);
    for (std::uint32_t i = 0; i <= kLines; ++i) prefetch_to_write(to + last * i / kLines);
  }

  // The list as a block. `wait`: only what stands before the first gap that is worth waiting for.
  void submit(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait);

  // What waits no longer points into frames.
  void detach_from_frames(Tcb& c);

  // Whether a direction whose FIN was seen has all up to it, but what the capture cut.
  bool reaches_fin(const Tcb& c, StreamSide side) const;

  // What is missing at the end, where FIN tells; then the connection's memory is given back. REQUIRES: all of its list
  // was submitted.
  void count_last_gap(Stream& stream);
  void drop(Tcb& c);

  std::uint64_t blocks() const { return blocks_; }
  // Bytes that lists, and what is kept beside them, use; and those that are held for them, also where nobody uses them
  // now, but for buffers, which are others' then. Connections themselves are not counted. held_beside(): but for what
  // lies in buffers.
  std::uint64_t used() const { return bytes_in_lists() + extents_.in_use() * extent_bytes_ + extras_memory_.bytes(); }
  std::uint64_t held() const { return bytes_in_lists() + held_beside(); }
  std::uint64_t held_beside() const { return extents_.held() * extent_bytes_ + pools_from_.bytes(); }
  // What is held without use goes, where it can; then the heap is told. `held_before`: held_beside() before that.
  void trim();
  void note_given_back(std::uint64_t held_before) {
    shared_->note_given_back(held_before - std::min(held_before, held_beside()));
  }

 private:
  using JoinedMap = std::pmr::map<std::int64_t, JoinedExtents>;
  // An extent, or several that are joined.
  struct Waiting {
    std::int64_t start, end;
    const std::uint8_t* data;
    ExtentNumber last;
  };

  void put_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                 bool in_order);
  template <class See>
  void pass_over(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end, const See& see);
  std::uint64_t find_new(Tcb& c, StreamSide side, std::int64_t begin, const std::uint8_t* data, std::int64_t end);
  static std::uint64_t never_seen(const Stream& stream, std::int64_t begin, std::int64_t end);
  void join_passed(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end);
  bool touches_joined(const Stream& stream, ExtentNumber below, ExtentNumber above) const;
  void cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end);
  void enter_behind(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length);
  void enter(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
             ExtentNumber below);
  static bool follows_in_order(const Stream& stream, std::int64_t start);
  // That so much payload takes in the in-order buffer.
  std::uint32_t in_order_bytes(std::uint32_t length) const { return options_.spans ? sizeof(StreamPiece) : length; }
  void note_waiting(std::uint32_t length, std::uint32_t entries) {
    waiting_ += length;
    waiting_entries_ += entries;
  }
  static bool has_in_order_room(const Tcb& c, std::uint32_t bytes) {
    return c.used + bytes + 2 * sizeof(InOrderSubBlock) <= c.room;
  }
  void append_in_order(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                       std::uint32_t entries);
  void enter_in_order(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                      std::uint32_t entries);
  void move_what_follows(Tcb& c);
  void enter_extent(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                    ExtentNumber below);
  const std::uint8_t* held_copy(Tcb& c, const std::uint8_t* data, std::uint32_t length, bool from_behind);
  template <class Take>
  void for_each_in_frame(const Tcb& c, const Take& take);
  template <class Change>
  void change_pieces(Tcb& c, std::uint32_t from, const Change& change);
  std::uint64_t bytes_in_lists() const {
    constexpr std::uint64_t kEntry = 64;  // a piece in a buffer that has grown
    return options_.spans ? waiting_ + waiting_entries_ * kEntry : taken_;
  }
  BlockBuffers::Buffer take_buffer(std::size_t bytes);
  void give_back_buffer(const BlockBuffers::Buffer& buffer);
  void hold_in(Tcb& c, std::size_t bytes);
  void hold_all(Tcb& c);
  void hold(Tcb& c, const BlockBuffers::Buffer& held, std::uint32_t used);
  void give_back_held(Tcb& c);
  void grow_buffer(Tcb& c, std::size_t bytes);
  void give_back_in_order(Tcb& c);
  void find_in_order_pieces(const Tcb& c);
  void make_extents(Tcb& c);
  static bool is_gap(const Stream& stream, std::int64_t begin, std::int64_t end);
  void list_in_order(Tcb& c);
  ExtentNumber first_to_wait(const Tcb& c) const;
  void list_extents(Tcb& c, ExtentNumber stop);
  void begin_sub_block(const Stream& stream, StreamSide side, std::uint64_t gap);
  void add_piece(Stream& stream, const std::uint8_t* data, std::uint32_t length);
  void count_submitted(Stream& stream, std::uint32_t length);
  void add_to_sub_blocks(Stream& stream, StreamSide side, std::int64_t start, const std::uint8_t* data,
                         std::uint32_t length);
  void give_up(Stream& stream, std::uint64_t gap);
  void pass_position(Stream& stream);
  void set_pieces();
  void drop_list(Tcb& c, ExtentNumber stop);

  const ReassemblerOptions options_;
  OverlapResolver overlaps_;
  const std::uint64_t extent_bytes_;
  StreamConsumer& consumer_;
  CountedMemory pools_from_{SystemMemory::get()};
  // Of nodes: of what is larger the pools would hold sixteen at once.
  static constexpr std::pmr::pool_options kPools{.max_blocks_per_chunk = 256, .largest_required_pool_block = 512};
  std::pmr::unsynchronized_pool_resource pools_{kPools, &pools_from_};
  CountedMemory extras_memory_{pools_};  // what few streams have
  ExtentPool extents_;
  const std::shared_ptr<SharedBuffers> shared_;
  BlockBuffers& buffers_;
  BlockParts& parts_;        // for one call
  std::uint64_t taken_ = 0;  // bytes, of these
  // With spans: bytes that wait in lists, in frames or held, and entries. They are taken for memory, so that it does
  // not matter when frames have to go.
  std::uint64_t waiting_ = 0, waiting_entries_ = 0;
  std::uint64_t blocks_ = 0;
  // For one call.
  ExtentNumber below_new_ = 0;  // the extent that the first of the new ranges comes behind
  std::uint32_t passed_ = 0;    // extents, or joined ones, that the segment has passed over
};

// Here, as nearly every segment comes this way.

// Does nothing miss between the in-order buffer and this?
inline bool ReassemblyQueue::follows_in_order(const Stream& stream, std::int64_t start) {
  return start == stream.next || stream.next == 0;
}

// REQUIRES: room.
inline void ReassemblyQueue::append_in_order(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                             std::uint32_t length, std::uint32_t entries) {
  Stream& stream = stream_of(c, side);
  if (c.last_sub_block.length == 0 || c.last_sub_block.side() != side) {
    c.begin_in_order_sub_block();
    c.last_sub_block = InOrderSubBlock(side);
  }
  c.last_sub_block.add(length, entries);
  if (options_.spans) {
    const StreamPiece piece(data, length);
    std::memcpy(c.buffer + c.used, &piece, sizeof piece);
    note_waiting(length, entries);
  } else {
    copy_bytes(c.buffer + c.used, data, length);
  }
  c.used += in_order_bytes(length);
  c.buffered += length;
  stream.next = start + length;
}

// Most that end have neither.

inline void ReassemblyQueue::give_back_held(Tcb& c) {
  if (!c.held) return;
  give_back_buffer({c.held, c.held_capacity, c.held_slab});
  c.held = nullptr;
  c.held_used = c.held_capacity = 0;
  if (!options_.spans) c.held_room = 0;
}

inline void ReassemblyQueue::give_back_in_order(Tcb& c) {
  if (!c.buffer) return;
  give_back_buffer({c.buffer, c.capacity, c.buffer_slab});
  c.buffer = nullptr;
  c.capacity = c.room = 0;
}

}  // namespace warpmeter::inline stream
