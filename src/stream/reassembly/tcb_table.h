// The live connections of a shard, found by either direction's segments. They lie in slabs and never move; an index of
// {part of the hash, address} is open-addressed, without tombstones, and grows by doubling.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/payload_batch.h"
#include "core/prefetch.h"
#include "stream/reassembly/tcb.h"

namespace warpmeter::inline stream {

class TcbTable {
 public:
  // Connections lie in `memory`, which must outlive it.
  explicit TcbTable(std::pmr::memory_resource& memory);
  ~TcbTable();
  TcbTable(const TcbTable&) = delete;
  TcbTable& operator=(const TcbTable&) = delete;

  // The connection of a segment, and who sent it; or null.
  Tcb* find(const PayloadSegment& s, StreamSide& side);

  // A new connection of the ends of a segment; the client sent it, unless it is `turned`. REQUIRES: find() gave null.
  Tcb& insert(const PayloadSegment& s, bool turned);
  void erase(Tcb& connection);
  void clear();  // for good

  std::size_t live() const { return live_; }
  // Connections by number, live or not (in_use()): 0 .. slots() - 1.
  std::size_t slots() const { return slots_; }
  Tcb& at(std::size_t number) { return slabs_[number / kSlab].data[number % kSlab]; }

  // Bytes that are held for connections, live or not; and slabs of which none is live go, but for their addresses:
  // whoever looks there finds none.
  std::uint64_t held() const;
  void trim();

  void prefetch_index(std::uint64_t hash) const { prefetch(&index_[hash & mask_]); }
  // What find() is likely to give, or null. The index should be in the cache.
  Tcb* likely(std::uint64_t hash) const;

 private:
  static constexpr std::size_t kSlab = 64;
  struct Slab {
    Tcb* data;
    std::uint32_t live;
    bool is_gone;  // its connections are zeros
  };
  static constexpr std::size_t kPage = 4096;
  static_assert(kSlab * sizeof(Tcb) % kPage == 0);

  // Addresses of programs have no more bits than these, on all machines that this is built for.
  static constexpr unsigned kAddressBits = 48;
  static std::uint64_t entry_of(const Tcb& c) {
    return c.hash >> kAddressBits << kAddressBits | reinterpret_cast<std::uintptr_t>(&c);
  }
  static bool may_be(std::uint64_t entry, std::uint64_t hash) { return ((entry ^ hash) >> kAddressBits) == 0; }
  static Tcb* connection_in(std::uint64_t entry) {
    return reinterpret_cast<Tcb*>(entry & ((std::uint64_t{1} << kAddressBits) - 1));
  }
  Tcb* likely_behind(std::uint64_t i, std::uint64_t hash) const;
  void enter(const Tcb& c);
  void grow();
  void add_slab();

  std::uint64_t mask_;
  std::pmr::memory_resource& memory_;
  std::pmr::vector<std::uint64_t> index_;  // 0: free
  std::vector<Slab> slabs_;
  std::size_t gone_ = 0;  // of these
  std::vector<std::uint32_t> free_;
  std::size_t slots_ = 0;
  std::size_t live_ = 0;
};

// Here, as every segment asks. Most are in one of two places, and no branch would be foreseen that tells in which.
inline Tcb* TcbTable::likely(std::uint64_t hash) const {
  const std::uint64_t i = hash & mask_, first = index_[i], second = index_[(i + 1) & mask_];
  std::uint64_t is_second = !may_be(first, hash);
  asm("" : "+r"(is_second));
  const std::uint64_t entry = first ^ ((first ^ second) & (0 - is_second));
  return may_be(entry, hash) ? connection_in(entry) : likely_behind(i + 2, hash);
}

}  // namespace warpmeter::inline stream
