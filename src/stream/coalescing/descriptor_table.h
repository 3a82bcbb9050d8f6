// The descriptors of a shard: one for each direction of a connection that packets were taken of, found by its key, in
// the order in which they were last asked for, and those with a list once more in the order of their latest packets.
// They never move; an open-addressed index of their numbers grows by doubling.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/flow_hash.h"
#include "core/prefetch.h"
#include "stream/coalescing/waiting_list.h"

namespace warpmeter::inline stream {

struct DirectionDescriptor {
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

  // Of the table: its number, and those of its neighbours in both orders.
  struct Neighbours {
    std::uint32_t older = 0, newer = 0;
    bool is_linked = false;
  };
  std::uint32_t number = 0;
  Neighbours of_all = {}, of_waiting = {};
};

class DescriptorTable {
 public:
  DescriptorTable();

  std::size_t size() const { return size_; }

  void prefetch_index(std::uint64_t hash) const { prefetch(&index_[hash & mask_]); }
  // What find() is likely to give. The index should be in the cache.
  void prefetch_descriptor(std::uint64_t hash) const {
    if (const Entry& entry = index_[hash & mask_]; entry.number != kNone) prefetch_all(descriptors_[entry.number]);
  }
  // What its list is likely to be. The descriptor should be in the cache.
  void prefetch_list(std::uint64_t hash) const {
    const Entry& entry = index_[hash & mask_];
    if (entry.number == kNone) return;
    if (const auto& list = descriptors_[entry.number].list) prefetch_all(*list);
  }

  DirectionDescriptor* find(const HashedKey& key, std::uint64_t hash);  // or null

  // A new one, the latest. REQUIRES: find() gave null.
  DirectionDescriptor& add(const HashedKey& key, std::uint64_t hash);
  // REQUIRES: it has no list.
  void erase(DirectionDescriptor& descriptor);

  void touch(DirectionDescriptor& descriptor);               // it is the latest now
  DirectionDescriptor* oldest() { return at(all_.oldest); }  // or null

  // It has a list whose latest packet is later than those of all others; it has none any more.
  void waits(DirectionDescriptor& descriptor);
  void waits_no_more(DirectionDescriptor& descriptor);
  DirectionDescriptor* oldest_waiting() { return at(waiting_.oldest); }  // or null
  DirectionDescriptor* newer_waiting(const DirectionDescriptor& descriptor) { return at(descriptor.of_waiting.newer); }

  // The one that has this number, or had it.
  DirectionDescriptor& numbered(std::uint32_t number) { return descriptors_[number]; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t number = kNone;
    std::uint32_t mark = 0;  // upper half of the hash
  };
  struct Order {
    std::uint32_t oldest = kNone, newest = kNone;
  };
  using Place = DirectionDescriptor::Neighbours DirectionDescriptor::*;

  DirectionDescriptor* at(std::uint32_t number) { return number == kNone ? nullptr : &descriptors_[number]; }
  void append(Order& order, Place place, DirectionDescriptor& descriptor);
  void remove(Order& order, Place place, DirectionDescriptor& descriptor);
  std::size_t entry_of(const DirectionDescriptor& descriptor) const;
  void enter(std::uint32_t number, std::uint64_t hash);
  void grow();

  std::deque<DirectionDescriptor> descriptors_;
  std::vector<std::uint32_t> free_;
  std::vector<Entry> index_;
  std::uint64_t mask_;
  std::size_t size_ = 0;
  Order all_, waiting_;
};

}  // namespace warpmeter::inline stream
