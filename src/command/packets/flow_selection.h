// The flows whose packets are wanted: of each Flow Key, which of its packets are those of such a flow.
//
// All packets of a key between the beginnings of two of its flows belong to the first of these, so that ranges tell
// all: of packet numbers, where the flows were metered from the same trace; of times, where they come from a file.
//
// Threads: add() by one alone; of() by any afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/hash_seed.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

// Of what ranges are.
enum class PacketOrder : std::uint8_t { number, time };

// Packets first .. last: numbers from 1 on, or ns since 1970 UTC.
struct PacketRange {
  std::int64_t first = std::numeric_limits<std::int64_t>::min(), last = std::numeric_limits<std::int64_t>::max();

  bool holds(std::int64_t value) const { return first <= value && value <= last; }
  bool holds_all() const { return *this == PacketRange{}; }
  friend bool operator==(const PacketRange&, const PacketRange&) = default;
};

class FlowSelection {
 public:
  // `seed`: of the hashes that of() is given. `memory`: bytes that it may take.
  FlowSelection(PacketOrder order, const HashSeed& seed, std::uint64_t memory)
      : order_(order), seed_(seed), memory_(memory) {}

  PacketOrder order() const { return order_; }

  // Flows of a key that has none yet. Throws Error where there are more than memory has room for.
  void add(const FlowKey& key, std::span<const PacketRange> ranges);

  // Those of the key; none, if no flow of it is wanted. `hash`: hash_flow() of the key. They stay until add().
  std::span<const PacketRange> of(const FlowKey& key, std::uint64_t hash) const;

  // Throws Error where what it holds and so many bytes are more than memory has room for.
  void check_room(std::uint64_t bytes) const;

 private:
  struct Key {
    FlowKey key;
    std::uint64_t hash;
    std::size_t first_range;
  };

  std::size_t slot_of(const FlowKey& key, std::uint64_t hash) const;
  void grow();

  const PacketOrder order_;
  const HashSeed seed_;
  const std::uint64_t memory_;
  std::vector<Key> keys_;
  std::vector<PacketRange> ranges_;   // of all keys, one behind the other
  std::vector<std::uint32_t> slots_;  // by the hash, or the next one that is free: number in keys_, from 1 on; 0: free
};

}  // namespace warpmeter::inline command
