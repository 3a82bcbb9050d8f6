// Which bytes of a direction have been seen, so that only what is new counts: ranges of unwrapped sequence numbers.
//
// Nearly always there is one range, which grows at its end; others, below it, are kept beside it once there is a gap.
// There are never more than kMostRanges: then the lower half becomes one range, gaps and all.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/sequence_numbers.h"

namespace warpmeter::inline command {

// Of all sets of somebody.
struct SeenTotals {
  std::uint64_t joined = 0;  // gaps that were closed
  std::size_t memory = 0;    // beside the sets themselves
};

class SeenBytes {
 public:
  static constexpr std::size_t kMostRanges = 1024;

  // The segment's bytes have been seen. Returns how many were new.
  std::uint64_t see(std::uint64_t sequence, std::uint32_t length, SeenTotals& totals) {
    const std::int64_t first = unwrapped(sequence);
    if (!is_known()) first_ = end_ = first;
    const std::int64_t end = first + length;
    if (first < first_ || first > end_) return see_elsewhere(first, end, totals);
    if (end <= end_) return 0;
    const std::int64_t before = end_;
    end_ = end;
    return static_cast<std::uint64_t>(end - before);
  }

  // A SYN's: all bytes are new again, and these are the highest from now on.
  void begin(std::uint64_t sequence, std::uint32_t length, SeenTotals& totals) {
    first_ = unwrapped(sequence);
    end_ = first_ + length;
    let_go(totals);
  }

  // Gaps between the bytes are closed.
  void join(SeenTotals& totals);

  // Of what lies beside this object, before it goes.
  void let_go(SeenTotals& totals) {
    totals.memory -= memory();
    lower_.reset();
  }

 private:
  struct Range {
    std::int64_t first, end;
  };
  using Ranges = std::vector<Range>;  // in order, with gaps between them

  bool is_known() const { return first_ <= end_; }
  std::int64_t unwrapped(std::uint64_t sequence) const {
    return is_known() ? unwrap(static_cast<std::uint32_t>(sequence), end_) : static_cast<std::int64_t>(sequence);
  }
  std::size_t memory() const { return lower_ ? sizeof *lower_ + lower_->capacity() * sizeof(Range) : 0; }
  std::uint64_t see_elsewhere(std::int64_t first, std::int64_t end, SeenTotals& totals);
  std::uint64_t join_lower_half();

  std::int64_t first_ = 0, end_ = -1;  // the highest range; end < first: nothing was seen yet
  std::unique_ptr<Ranges> lower_;
};

}  // namespace warpmeter::inline command
