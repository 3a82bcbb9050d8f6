// The live connections of a shard, found by either direction's Flow Key. They lie in slabs and never move; an index of
// {part of the hash, number} is open-addressed, without tombstones, and grows by doubling.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/prefetch.h"
#include "tcp/tcb.h"

namespace warpmeter {

class TcbTable {
 public:
  TcbTable();
  ~TcbTable();
  TcbTable(const TcbTable&) = delete;
  TcbTable& operator=(const TcbTable&) = delete;

  // The connection of a segment, and who sent it; or null. `hash`: of both ends (core/payload_batch.h).
  Tcb* find(const FlowKey& key, std::uint64_t hash, StreamSide& side);

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
  void enter(std::uint64_t hash, std::uint64_t entry);
  void grow();

  std::vector<std::uint64_t> index_;  // 0: free
  std::uint64_t mask_;
  std::vector<std::unique_ptr<Tcb[]>> slabs_;
  std::vector<std::uint32_t> free_;
  std::size_t slots_ = 0;
  std::size_t live_ = 0;
};

}  // namespace warpmeter
