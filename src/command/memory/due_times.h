// Numbers in the order of the times at which they are due, for a time that never runs back: a radix heap, whose buckets
// are by the highest bit in which a time differs from the latest that was taken out. An entry goes down a bucket at a
// time, and none is compared with others: what it costs lies in a row of memory.
//
// One thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpmeter::inline command {

class DueTimes {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  struct Entry {
    std::uint64_t time;
    std::uint32_t number;
  };

  DueTimes() { earliest_.fill(kNever); }

  // REQUIRES: not before a time that take() was asked for.
  void put(std::uint64_t time, std::uint32_t number) {
    const auto bucket = static_cast<std::size_t>(std::bit_width(time ^ taken_));
    memory_ -= memory_of(buckets_[bucket]);
    buckets_[bucket].push_back({time, number});
    memory_ += memory_of(buckets_[bucket]);
    earliest_[bucket] = std::min(earliest_[bucket], time);
    next_ = std::min(next_, time);
  }

  // Is one due before `now`?
  bool is_due(std::uint64_t now) const { return next_ < now; }

  // One of the earliest, and it is gone. REQUIRES: is_due() of some time that has come.
  Entry take() {
    if (buckets_[0].empty()) spread();
    const Entry entry = buckets_[0].back();
    buckets_[0].pop_back();
    if (buckets_[0].empty()) {
      earliest_[0] = kNever;
      next_ = earliest_[first_bucket()];
    }
    return entry;
  }

  // Forgets all entries for which `goes(entry)` is true.
  template <class Goes>
  void remove_if(const Goes& goes) {
    memory_ = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      std::erase_if(buckets_[i], goes);
      buckets_[i].shrink_to_fit();
      memory_ += memory_of(buckets_[i]);
      earliest_[i] = kNever;
      for (const Entry& entry : buckets_[i]) earliest_[i] = std::min(earliest_[i], entry.time);
    }
    next_ = earliest_[first_bucket()];
  }

  std::size_t memory() const { return memory_; }

 private:
  using Bucket = std::vector<Entry>;
  static std::size_t memory_of(const Bucket& bucket) { return bucket.capacity() * sizeof(Entry); }

  // The first that is not empty, or the last: the earliest times are in it.
  std::size_t first_bucket() const {
    std::size_t bucket = 0;
    while (bucket + 1 < buckets_.size() && buckets_[bucket].empty()) ++bucket;
    return bucket;
  }

  // What is in the first bucket that is not empty goes to those before it.
  void spread() {
    const std::size_t from = first_bucket();
    taken_ = earliest_[from];
    earliest_[from] = kNever;
    Bucket entries;
    entries.swap(buckets_[from]);
    for (const Entry& entry : entries) put(entry.time, entry.number);
    memory_ -= memory_of(entries);
  }

  std::array<Bucket, 65> buckets_;
  std::array<std::uint64_t, 65> earliest_;
  std::uint64_t taken_ = 0;      // a time that was taken out; none that is left is before it
  std::uint64_t next_ = kNever;  // the earliest
  std::size_t memory_ = 0;
};

}  // namespace warpmeter::inline command
