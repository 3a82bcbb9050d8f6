// Packets of TCP in order, made once and given again and again, each time further on in their connections: what a
// policy's rounds cost, and not what reading, decoding or memory does. All of it stays in the cache.
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy_batch.h"

namespace warpmeter::bench {

// Patterns as signatures are: literals, classes, bounded repeats. Those of a group are the same at any time; behind 100
// come those of the next group, so that one group of 400 has what four of 100 have.
std::vector<std::string> patterns_of(unsigned group, unsigned count);

// Half of it text, half as if it were encrypted, in turns. No pattern matches but one literal of each of the groups 1
// to 8, far from each other.
std::string some_payload();

class PolicyTraffic {
 public:
  static constexpr std::uint32_t kBatchPackets = 1024, kBatches = 4, kConnections = 1024, kMostPayload = 65000;

  // Connections of these shards alone; packets point into `text`, which must outlive it.
  PolicyTraffic(std::string_view text, std::uint32_t payload, const HashSeed& seed, unsigned first_shard,
                unsigned last_shard);

  // Both ends greet: packets that carry nothing.
  PolicyBatch& greeting() { return greeting_; }
  // The batches of a pass, made ready for the next one. Batch b has packets b * kBatchPackets and on.
  PolicyBatch& next(std::uint32_t b);
  // Of a packet of a pass: its connection, twice, and one more if the server sent it.
  static std::uint32_t direction_of(std::uint32_t packet) {
    return packet % kConnections * 2 + packet / kConnections % 2;
  }

 private:
  static constexpr std::uint32_t kPackets = kBatches * kBatchPackets;
  static constexpr std::uint32_t kInDirection = kPackets / kConnections / 2;  // packets of each, a pass

  void add(PolicyBatch& batch, std::uint32_t direction, const Segment& segment, std::string_view text);

  const HashSeed seed_;
  const std::uint32_t payload_;
  std::uint64_t number_ = 1;   // of the next packet
  std::vector<FlowKey> keys_;  // by direction
  PolicyBatch greeting_;
  std::vector<PolicyBatch> batches_;
};

}  // namespace warpmeter::bench
