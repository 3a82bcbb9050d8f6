// Runs: bytes of one direction that lie behind each other, of one entry or of several that came in order. Those of a
// connection are linked in the order of its list; besides, those of each direction in that of their numbers, which is
// the same order. Runs of a direction never overlap.
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

struct Run {
  const std::uint8_t* data;
  std::int64_t start;
  std::uint32_t length;      // bytes, more than 0
  std::uint32_t entries;     // that it holds; 0: it goes on with that of the run before it
  RunNumber before, behind;  // in the list
  RunNumber below, above;    // of its direction
  StreamSide side;
  bool is_behind_gap = false;  // one that the capture has not cut lies between it and the run below it
  bool is_in_frame = false;    // its bytes are
  RunNumber older_in_frame = 0, newer_in_frame = 0;  // of those of the direction

  std::int64_t end() const { return start + length; }
};

// Bytes of the plain part of a list.
struct PlainPiece {
  const std::uint8_t* data;
  std::uint32_t length;
  std::uint32_t entries;  // as of a run
  StreamSide side;
  bool is_in_frame;
};

class RunPool {
 public:
  // What lists keep beside the runs lies in `memory`, which must outlive it.
  explicit RunPool(std::pmr::memory_resource& memory) : memory_(memory), runs_(1, &SystemMemory::get()) {}

  Run& operator[](RunNumber number) { return runs_[number]; }
  const Run& operator[](RunNumber number) const { return runs_[number]; }

  // The run of the direction with the highest start of at most `number`; 0: there is none.
  RunNumber at_or_below(Tcb& c, StreamSide side, std::int64_t number);
  // The first run of the direction that starts above the run `below` (0: its lowest).
  RunNumber next_above(const Tcb& c, StreamSide side, RunNumber below) const;

  // Adds an entry: directly before the lowest run of its direction that starts above, or at the end. `below`: what
  // at_or_below() gave for its start. It becomes part of that run, if it may, and both the numbers and the bytes lie
  // behind each other; or of the one above it, likewise. Returns the run.
  RunNumber insert(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                   RunNumber below, bool may_join);

  // Makes two runs of one, which hold its entry together; the second, which begins at the number `at`, is returned.
  RunNumber split(Tcb& c, RunNumber number, std::int64_t at);

  // Makes runs of the plain part, before all others; it consists of these.
  void make_runs(Tcb& c, std::span<const PlainPiece> plain);

  // The bytes of a run are in a frame; those of none are any more.
  void enter_frame(Tcb& c, RunNumber number);
  void leave_frames(Tcb& c);

  // Takes the first run out.
  void drop_first(Tcb& c);

  // What the capture has cut of the direction has become more, by [begin, end): gaps may be no longer waited for.
  void see_cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end);

  std::size_t in_use() const { return in_use_; }
  std::size_t held() const { return runs_.capacity(); }  // of which the others are free
  // REQUIRES: none is in use.
  void forget() {
    runs_ = std::pmr::vector<Run>(1, &SystemMemory::get());
    free_ = 0;
  }

 private:
  RunNumber near_recent(const Stream& stream, std::int64_t number) const;
  RunNumber make();
  void link(Tcb& c, RunNumber number, RunNumber below, RunNumber above);
  void see_gap_below(Stream& stream, RunNumber number);
  void grow_down(Tcb& c, RunNumber number, std::int64_t start, const std::uint8_t* data);
  void leave_frame(Stream& stream, RunNumber number);

  std::pmr::memory_resource& memory_;
  std::pmr::vector<Run> runs_;  // number 0 is none
  RunNumber free_ = 0;          // linked by `behind`
  std::size_t in_use_ = 0;
};

}  // namespace warpmeter::inline stream
