// The descriptors of a shard: one for each direction of a connection that packets were taken of, found by its key, in
// the order in which they were last asked for, and those with a list once more in the order of their latest packets.
// They never move; an open-addressed index of their numbers grows by doubling.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/flow_hash.h"
#include "core/prefetch.h"
#include "stream/coalescing/waiting_list.h"

namespace warpmeter::inline stream {

struct alignas(64) DirectionDescriptor {
  static constexpr std::int64_t kNoAverage = -1;

  HashedKey key = {};
  std::uint64_t hash = 0;
  std::int64_t last_ns = 0;                        // latest arrival
  std::int64_t average_ns = kNoAverage;            // interval
  std::uint32_t next = 0;                          // end of the consecutive part
  bool has_next = false;                           // else the next packet begins it
  std::uint32_t known_from = 0;                    // from here to `next` all bytes were taken
  std::uint32_t dropped_from = 0, dropped_to = 0;  // the latest of them that were repeated, and dropped
  std::unique_ptr<WaitingList> list = {};          // null: nothing waits

  std::uint32_t number = 0;  // of the table, from 1 on
};

// Numbers from 1 on, in an order: one comes behind all others, or goes. Neighbours know each other, and those at both
// ends know 0, in a ring. They lie apart from what is numbered: whoever moves one has to do with others that nobody has
// asked for, and these would have to come from memory.
class NumberOrder {
 public:
  std::uint32_t oldest() const { return at_[0].newer; }  // 0: there is none
  std::uint32_t newer(std::uint32_t number) const { return at_[number].newer; }

  // There is a number more, which is not in the order yet.
  void grow() { at_.push_back({static_cast<std::uint32_t>(at_.size()), static_cast<std::uint32_t>(at_.size())}); }

  // It is the newest now, wherever it was.
  void append(std::uint32_t number) {
    const std::uint32_t newest = at_[0].older;
    if (newest == number) return;
    remove(number);
    at_[number] = {newest, 0};
    at_[newest].newer = number;
    at_[0].older = number;
  }
  // It may be in no order: its own neighbour.
  void remove(std::uint32_t number) {
    const Neighbours beside = at_[number];
    at_[beside.older].newer = beside.newer;
    at_[beside.newer].older = beside.older;
    at_[number] = {number, number};
  }

 private:
  struct Neighbours {
    std::uint32_t older, newer;
  };
  std::vector<Neighbours> at_{{0, 0}};
};

class DescriptorTable {
 public:
  DescriptorTable();

  std::size_t size() const { return size_; }

  void prefetch_index(std::uint64_t hash) const { prefetch(&index_[hash & mask_]); }
  // What find() is likely to give. The index should be in the cache.
  void prefetch_descriptor(std::uint64_t hash) const {
    if (const Entry& entry = index_[hash & mask_]; entry.number != kNone) prefetch_all(numbered(entry.number));
  }
  // What its list is likely to be. The descriptor should be in the cache.
  void prefetch_list(std::uint64_t hash) const {
    const Entry& entry = index_[hash & mask_];
    if (entry.number == kNone) return;
    if (const auto& list = numbered(entry.number).list) prefetch_all(*list);
  }

  DirectionDescriptor* find(const HashedKey& key, std::uint64_t hash);  // or null

  // A new one, the latest. REQUIRES: find() gave null.
  DirectionDescriptor& add(const HashedKey& key, std::uint64_t hash);
  // REQUIRES: it has no list.
  void erase(DirectionDescriptor& descriptor);

  void touch(const DirectionDescriptor& descriptor) { all_.append(descriptor.number); }  // it is the latest now
  DirectionDescriptor* oldest() { return at(all_.oldest()); }                            // or null

  // It has a list whose latest packet is later than those of all others; it has none any more.
  void waits(const DirectionDescriptor& descriptor) { waiting_.append(descriptor.number); }
  void waits_no_more(const DirectionDescriptor& descriptor) { waiting_.remove(descriptor.number); }
  DirectionDescriptor* oldest_waiting() { return at(waiting_.oldest()); }  // or null
  DirectionDescriptor* newer_waiting(const DirectionDescriptor& one) { return at(waiting_.newer(one.number)); }

  // The one that has this number, or had it.
  DirectionDescriptor& numbered(std::uint32_t number) const {
    return descriptors_[number / kTogether][number % kTogether];
  }

 private:
  static constexpr std::uint32_t kNone = 0, kTogether = 64;
  struct Entry {
    std::uint32_t number = kNone;
    std::uint32_t mark = 0;  // upper half of the hash
  };

  DirectionDescriptor* at(std::uint32_t number) const { return number == kNone ? nullptr : &numbered(number); }
  std::uint32_t new_number();
  std::size_t entry_of(const DirectionDescriptor& descriptor) const;
  void enter(std::uint32_t number, std::uint64_t hash);
  void grow();

  std::vector<std::unique_ptr<DirectionDescriptor[]>> descriptors_;  // kTogether in each
  std::uint32_t latest_ = 0;                                         // of the numbers, which begin with 1
  std::vector<std::uint32_t> free_;                                  // numbers that were given back
  std::vector<Entry> index_;
  std::uint64_t mask_;
  std::size_t size_ = 0;
  NumberOrder all_, waiting_;
};

}  // namespace warpmeter::inline stream
