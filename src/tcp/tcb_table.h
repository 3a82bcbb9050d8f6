// The live connections of a shard, found by either direction's Flow Key. They lie in slabs and never move; an index of
// {part of the hash, number} is open-addressed, without tombstones, and grows by doubling.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/flow_hash.h"
#include "core/prefetch.h"
#include "tcp/tcb.h"

namespace warpmeter {

class TcbTable {
 public:
  TcbTable();
  ~TcbTable();
  TcbTable(const TcbTable&) = delete;
  TcbTable& operator=(const TcbTable&) = delete;

  // The connection of a segment, and who sent it; or null. `hash`: of both ends (core/payload_batch.h). `likely`: what
  // likely() once gave for it, or null.
  Tcb* find(const FlowKey& key, std::uint64_t hash, const Tcb* likely, StreamSide& side) {
    if (likely && likely->hash == hash && is_of(*likely, key, side)) return &at(likely->number);
    return find(key, hash, side);
  }

  // A new connection. REQUIRES: find() gave null.
  Tcb& insert(const FlowKey& client, std::uint64_t hash);
  void erase(Tcb& connection);

  std::size_t live() const { return live_; }
  // Connections by number, live or not (in_use): 0 .. slots() - 1.
  std::size_t slots() const { return slots_; }
  Tcb& at(std::size_t number) { return slabs_[number / kSlab][number % kSlab]; }

  void prefetch_index(std::uint64_t hash) const { prefetch(&index_[hash & mask_]); }
  // What find() is likely to give, or null. The index should be in the cache.
  const Tcb* likely(std::uint64_t hash) const;

 private:
  static constexpr std::size_t kSlab = 64;

  static std::uint64_t entry_of(std::uint64_t hash, std::size_t number) {
    return (hash & 0xffffffff00000000) | (number + 1);
  }
  static bool may_be(std::uint64_t entry, std::uint64_t hash) { return ((entry ^ hash) >> 32) == 0; }
  static std::size_t number_in(std::uint64_t entry) { return (entry & 0xffffffff) - 1; }
  static bool is_of(const Tcb& c, const FlowKey& key, StreamSide& side);
  Tcb* find(const FlowKey& key, std::uint64_t hash, StreamSide& side);
  void enter(std::uint64_t hash, std::uint64_t entry);
  void grow();

  std::vector<std::uint64_t> index_;  // 0: free
  std::uint64_t mask_;
  std::vector<std::unique_ptr<Tcb[]>> slabs_;
  std::vector<std::uint32_t> free_;
  std::size_t slots_ = 0;
  std::size_t live_ = 0;
};

inline bool TcbTable::is_of(const Tcb& c, const FlowKey& key, StreamSide& side) {
  side = StreamSide::client;
  if (c.key == key) return true;
  side = StreamSide::server;
  const HashedKey x = hashed_key(c.key), y = hashed_key(key);
  constexpr std::uint64_t kPorts = 0xffffffff;
  const std::uint64_t rest = (y.rest & ~kPorts) | (y.rest & 0xffff) << 16 | (y.rest >> 16 & 0xffff);
  return ((x.source_high ^ y.destination_high) | (x.source_low ^ y.destination_low) |
          (x.destination_high ^ y.source_high) | (x.destination_low ^ y.source_low) | (x.rest ^ rest)) == 0;
}

// Here, as every segment asks.
inline const Tcb* TcbTable::likely(std::uint64_t hash) const {
  for (std::uint64_t i = hash & mask_; index_[i]; i = (i + 1) & mask_) {
    if (!may_be(index_[i], hash)) continue;
    const std::size_t number = number_in(index_[i]);
    return &slabs_[number / kSlab][number % kSlab];
  }
  return nullptr;
}

}  // namespace warpmeter
