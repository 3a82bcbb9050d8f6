// The ReassemblyQueue of a shard, in the kind of storage that its options name. Here each call is brought to it; what
// is behind is compiled for one kind or the other, and asks no more.
//
// Source: docs/streams.md.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "stream/reassembly/reassembly_queue.h"

namespace warpmeter::inline stream {

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
