// Connections by their ends, and what is known of each: the bytes that were seen, and those that wait. A place has a
// number, for as long as the connection is there, and stays where it is in memory.
//
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "command/memory/memory_cells.h"
#include "core/hash_seed.h"
#include "core/prefetch.h"
#include "core/sequence_numbers.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

// Of all that one keeps of SeenBytes.
struct SeenTotals {
  std::uint64_t joined = 0;  // gaps that were closed
  std::size_t memory = 0;    // beside the sets themselves
};

// Which bytes of a direction have been seen, so that only what is new counts: ranges of unwrapped sequence numbers.
//
// Nearly always there is one range, which grows at its end; others, below it, are kept beside it once there is a gap.
// There are never more than kMostRanges: then the lower half becomes one range, gaps and all.
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

// Bytes that wait, by block size: below the block size each.
struct HeldBytes {
  std::array<std::uint32_t, kBlockSizes> bytes{};
  std::uint32_t end = kTimeouts;  // one past the longest timeout of this age
};

// What is kept of a connection while it lives under any of the timeouts, and, so that its bytes count once, thereafter.
//
// Timeouts begin together, with new bytes, and end one after the other, the shortest first: those that are alive are
// the longest. Those that began with the same bytes buffer the same; neighbouring ones that do are an age. Most
// connections have one age, and one with pauses has as many as its pauses were longer than the ones after them.
struct ConnectionState {
  static constexpr std::uint64_t kNotDue = std::numeric_limits<std::uint64_t>::max();

  FlowKey ends;                                   // the smaller end is the source; no VLAN id
  std::uint64_t latest = 0;                       // time of its latest segment, if it is alive
  std::uint64_t due = kNotDue;                    // when it is to be looked at
  std::array<SeenBytes, 2> seen;                  // of what the smaller end sent, the other
  std::uint32_t alive_from = kTimeouts;           // the first timeout that is alive
  HeldBytes youngest;                             // of the shortest timeouts
  std::unique_ptr<std::vector<HeldBytes>> older;  // the last has the shortest timeouts
  bool in_use = false;

  bool is_dead() const { return alive_from == kTimeouts; }
};

class ConnectionTable {
 public:
  // `hash_seed`: of the hashes, which are those of FlowKey.
  explicit ConnectionTable(const HashSeed& hash_seed);

  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // Its number, or kNone.
  std::uint32_t find(const FlowKey& ends, std::uint64_t hash) const {
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Entry entry = index_[i];
      if (entry.number == kNone) return kNone;
      if (entry.tag == tag_of(hash) && (*this)[entry.number].ends == ends) return entry.number;
    }
  }

  // REQUIRES: it is not there.
  std::uint32_t insert(const FlowKey& ends, std::uint64_t hash);

  // Lets all of them go for which `goes(number)` is true.
  template <class Goes>
  void remove_if(const Goes& goes) {
    for (std::uint32_t number = 0; number < used_; ++number) {
      if ((*this)[number].in_use && goes(number)) let_go(number);
    }
    index_all(index_.size());
  }

  ConnectionState& operator[](std::uint32_t number) { return slabs_[number / kSlab][number % kSlab]; }
  const ConnectionState& operator[](std::uint32_t number) const { return slabs_[number / kSlab][number % kSlab]; }

  std::size_t size() const { return size_; }
  std::uint32_t numbers() const { return used_; }  // that are in use, or were
  std::size_t memory() const;
  // What one more would take.
  std::size_t memory_for_another() const;

  // First of the index, then of the connection that it names.
  void prefetch_index(std::uint64_t hash) const { prefetch(&index_[hash & mask_]); }
  void prefetch_state(std::uint64_t hash) const {
    const Entry entry = index_[hash & mask_];
    if (entry.number != kNone) prefetch_all((*this)[entry.number]);
  }

 private:
  static constexpr std::size_t kSlab = 256;
  struct Entry {
    std::uint32_t tag, number;
  };
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  void let_go(std::uint32_t number);
  void enter(std::uint32_t number, std::uint64_t hash);
  void index_all(std::size_t entries);

  const HashSeed hash_seed_;
  std::vector<Entry> index_;  // at most half of it in use
  std::size_t mask_ = 0;
  std::vector<std::unique_ptr<ConnectionState[]>> slabs_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
  std::size_t size_ = 0;
};

}  // namespace warpmeter::inline command
