// The conversations of a block, numbered as they come, each with what is foretold of both directions.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flow_hash.h"
#include "core/prefetch.h"
#include "packet/segments/segment_columns.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {

class ConversationTable {
 public:
  // `hash_seed`: of the hashes that it is given.
  explicit ConversationTable(const HashSeed& hash_seed) : hash_seed_(hash_seed), slots_(kFewest) {}

  // The number of the flow; one that is new gets one, of its conversation if that is known. `hash`: of the key.
  std::uint32_t number_of(const FlowKey& key, std::uint64_t hash) {
    std::size_t at = find(key, hash);
    if (slots_[at].flow != kNone) return slots_[at].flow;
    return add(key, hash, at);
  }

  // Some segments before number_of() and foretold() are asked of a hash, and some less.
  void prefetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_flow(std::uint64_t hash) const {
    const std::uint32_t flow = slots_[hash & (slots_.size() - 1)].flow;
    if (flow != kNone) prefetch(&flows_[flow]);
  }

  ForetoldSegment& foretold(std::uint32_t flow) { return flows_[flow].foretold; }

  std::size_t size() const { return flows_.size() / 2; }  // conversations
  const FlowKey& key(std::size_t conversation) const { return flows_[2 * conversation].key; }

  void clear();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kFewest = 1024;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t flow = kNone;
  };
  struct Flow {
    FlowKey key;
    ForetoldSegment foretold;
  };

  // Where the flow is, or would be.
  std::size_t find(const FlowKey& key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].flow != kNone && (slots_[at].hash != hash || !(flows_[slots_[at].flow].key == key))) {
      at = (at + 1) & mask;
    }
    return at;
  }
  std::uint32_t add(const FlowKey& key, std::uint64_t hash, std::size_t at);
  void grow();

  const HashSeed hash_seed_;
  std::vector<Slot> slots_;  // of flows that came, at most three quarters of them used
  std::size_t used_ = 0;
  std::vector<Flow> flows_;  // by number
};

}  // namespace warpmeter::inline packet
