// Connections by their ends. A place has a number, for as long as the connection is there, and stays where it is in
// memory.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "command/memory/connection_state.h"
#include "core/hash_seed.h"
#include "core/prefetch.h"

namespace warpmeter::inline command {

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
