// Extents: bytes of one direction that lie behind each other, of one entry or of several that came in order. Those of a
// connection are linked in the order of its list; besides, those of each direction in that of their numbers, which is
// the same order. Extents of a direction never overlap.
//
// Finding a place takes O(log n) where there are many, and one look where segments come in order.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "stream/reassembly/counted_memory.h"
#include "stream/reassembly/tcb.h"

namespace warpmeter::inline stream {

struct Extent {
  const std::uint8_t* data;
  std::int64_t start;
  std::uint32_t length;         // bytes, more than 0
  std::uint32_t entries;        // that it holds; 0: it goes on with that of the extent before it
  ExtentNumber before, behind;  // in the list
  ExtentNumber below, above;    // of its direction
  StreamSide side;
  bool is_behind_gap = false;  // one that the capture has not cut lies between it and the extent below it
  bool is_in_frame = false;    // its bytes are
  ExtentNumber older_in_frame = 0, newer_in_frame = 0;  // of those of the direction

  std::int64_t end() const { return start + length; }
};

// Bytes of the in-order buffer of a list.
struct InOrderPiece {
  const std::uint8_t* data;
  std::uint32_t length;
  std::uint32_t entries;  // as of an extent
  StreamSide side;
  bool is_in_frame;
};

class ExtentPool {
 public:
  // What lists keep beside the extents lies in `memory`, which must outlive it.
  explicit ExtentPool(std::pmr::memory_resource& memory) : memory_(memory), extents_(1, &SystemMemory::get()) {}

  Extent& operator[](ExtentNumber number) { return extents_[number]; }
  const Extent& operator[](ExtentNumber number) const { return extents_[number]; }

  // The extent of the direction with the highest start of at most `number`; 0: there is none.
  ExtentNumber at_or_below(Tcb& c, StreamSide side, std::int64_t number);
  // The first extent of the direction that starts above the extent `below` (0: its lowest).
  ExtentNumber next_above(const Tcb& c, StreamSide side, ExtentNumber below) const;

  // Adds an entry: directly before the lowest extent of its direction that starts above, or at the end. `below`: what
  // at_or_below() gave for its start. It becomes part of that extent, if it may, and both the numbers and the bytes lie
  // behind each other; or of the one above it, likewise. Returns the extent.
  ExtentNumber insert(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                      ExtentNumber below, bool may_join);

  // Makes two extents of one, which hold its entry together; the second, which begins at the number `at`, is returned.
  ExtentNumber split(Tcb& c, ExtentNumber number, std::int64_t at);

  // Makes extents of the in-order buffer, before all others; it consists of these.
  void make_extents(Tcb& c, std::span<const InOrderPiece> pieces);

  // The bytes of an extent are in a frame; those of none are any more.
  void enter_frame(Tcb& c, ExtentNumber number);
  void leave_frames(Tcb& c);

  // Takes the first extent out.
  void drop_first(Tcb& c);

  // What the capture has cut of the direction has become more, by [begin, end): gaps may be no longer waited for.
  void see_cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end);

  std::size_t in_use() const { return in_use_; }
  std::size_t held() const { return extents_.capacity(); }  // of which the others are free
  // REQUIRES: none is in use.
  void forget() {
    extents_ = std::pmr::vector<Extent>(1, &SystemMemory::get());
    free_ = 0;
  }

 private:
  ExtentNumber near_recent(const Stream& stream, std::int64_t number) const;
  ExtentNumber make();
  void link(Tcb& c, ExtentNumber number, ExtentNumber below, ExtentNumber above);
  void see_gap_below(Stream& stream, ExtentNumber number);
  void grow_down(Tcb& c, ExtentNumber number, std::int64_t start, const std::uint8_t* data);
  void leave_frame(Stream& stream, ExtentNumber number);

  std::pmr::memory_resource& memory_;
  std::pmr::vector<Extent> extents_;  // number 0 is none
  ExtentNumber free_ = 0;             // linked by `behind`
  std::size_t in_use_ = 0;
};

}  // namespace warpmeter::inline stream
