// All connections of several spools, one after the other by their numbers.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/merge/merge_heap.h"
#include "command/reassemble/stream_spool.h"

namespace warpmeter::inline command {

class SpooledOrder {
 public:
  // REQUIRES: these have been finished, and outlive it.
  explicit SpooledOrder(std::span<const std::unique_ptr<StreamSpool>> spools);

  struct Next {
    StreamSpool* spool = nullptr;
    std::uint64_t chain = 0;
  };
  // The next connection; false if there is none.
  bool next(Next& connection);

 private:
  // Connections of a run, some at a time.
  struct Cursor {
    StreamSpool* spool;
    std::size_t run;
    std::uint64_t read;                   // of the run, so far
    std::vector<SpooledConnection> some;  // not empty
    std::size_t at;                       // the next of these
    const SpooledConnection& first() const { return some[at]; }
  };
  static constexpr std::uint64_t kSome = 64;
  struct Before {
    bool operator()(const Cursor& a, const Cursor& b) const { return a.first().number < b.first().number; }
  };
  static bool refill(Cursor& cursor);

  MergeHeap<Cursor, Before> heap_;
};

}  // namespace warpmeter::inline command
