// What of a connection has to wait for others, or comes among them: extents, in the order of its list. It tells of what
// a segment brings which bytes are new, which gaps are waited for, and whether a FIN is reached.
//
// It does not know where bytes lie (stream_storage.h), nor which copy of a byte is kept (OverlapResolver).
//
// A segment may pass over as many extents as it has bytes, again and again. So those that it has passed over are
// joined: their bytes lie once more in one piece, which the next segment passes over in one step. Extents stay as they
// are, since between those of one direction there may be those of the other. Nothing that a segment asks is a walk over
// the list.
//
// Source: docs/streams.md.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/sequence_numbers.h"
#include "stream/reassembly/counted_memory.h"
#include "stream/reassembly/extent_pool.h"
#include "stream/reassembly/tcb.h"

namespace warpmeter::inline stream {

class OutOfOrderQueue {
 public:
  // What a payload brings, beside bytes that were submitted or given up.
  struct Brought {
    std::uint64_t conflicting = 0;   // bytes that wait, and differ
    std::uint32_t passed = 0;        // extents, or joined ones, that it lies beside or over
    ExtentNumber below_new = 0;      // the extent that the first of the new bytes come behind
    std::vector<NumberRange>& news;  // that no extent has, in order
  };

  // `extent_bytes`: that each extent takes elsewhere. `ranges`: for one call at a time; it must outlive this.
  OutOfOrderQueue(std::size_t extent_bytes, std::vector<NumberRange>& ranges)
      : extent_bytes_(sizeof(Extent) + extent_bytes), ranges_(ranges) {}

  ExtentPool& extents() { return extents_; }
  const ExtentPool& extents() const { return extents_; }
  // What few directions have lies here.
  std::pmr::memory_resource& memory() { return extras_memory_; }

  // What a payload brings, of the numbers [begin, end) from the position on. The next call, and cut(), forget the news.
  Brought look_for_news(Tcb& c, StreamSide side, std::int64_t begin, const std::uint8_t* data, std::int64_t end);
  // Bytes of [begin, end), which lies below the position, that were never seen: below the first one, and in gaps that
  // were given up, of which a segment may meet as many as it has bytes.
  static std::uint64_t never_seen(const Stream& stream, std::int64_t begin, std::int64_t end);
  // A payload has passed over so many extents: perhaps they are joined.
  void note_passed(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end, std::uint32_t passed);
  // May an entry between these two become part of them? Not where they begin or end what is joined: it would grow.
  bool may_join(const Stream& stream, ExtentNumber below, ExtentNumber above) const;

  // The capture has cut these numbers off: nobody waits for them.
  void cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end);

  // The extent behind the first gap that is worth waiting for, as a gap is with at most so many entries at or behind
  // it; 0: there is none.
  ExtentNumber first_to_wait(const Tcb& c, std::uint32_t gap_packets) const;
  // Has a direction all up to its FIN, but what the capture cut? REQUIRES: its FIN was seen.
  bool reaches_fin(const Tcb& c, StreamSide side) const;

  // Bytes that extents and what is beside them take; and those that are held for them, also where nobody uses them now.
  std::uint64_t used() const { return extents_.in_use() * extent_bytes_ + extras_memory_.bytes(); }
  std::uint64_t held() const { return extents_.held() * extent_bytes_ + pools_from_.bytes(); }
  // What nobody uses goes, where it can. Returns whether there is no extent, and their room has gone.
  bool trim();

 private:
  using JoinedMap = std::pmr::map<std::int64_t, JoinedExtents>;
  // An extent, or several that are joined.
  struct Waiting {
    std::int64_t start, end;
    const std::uint8_t* data;
    ExtentNumber last;
  };

  template <class See>
  void pass_over(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end, const See& see);
  void join_passed(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end);

  const std::uint64_t extent_bytes_;
  std::vector<NumberRange>& ranges_;
  CountedMemory pools_from_{SystemMemory::get()};
  // Of nodes: of what is larger the pools would hold sixteen at once.
  static constexpr std::pmr::pool_options kPools{.max_blocks_per_chunk = 256, .largest_required_pool_block = 512};
  std::pmr::unsynchronized_pool_resource pools_{kPools, &pools_from_};
  CountedMemory extras_memory_{pools_};
  ExtentPool extents_{extras_memory_};
};

}  // namespace warpmeter::inline stream
