// The hosts that sent most, of any number of hosts, in a table of fixed size: whoever finds no room takes the place of
// the one that has sent least of a few, and what that had is in doubt for him (Space-Saving: Metwally et al.,
// "Efficient Computation of Frequent and Top-k Elements in Data Streams"). What is said of a host is no more than it
// sent; of few hosts it is all of it.
//
// Threads: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/hash_seed.h"
#include "core/seeded_hash.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

struct TopHost {
  FlowKey key{};  // of which version and source are those of the host; the rest is 0
  std::uint64_t bytes = 0;
};

// The hosts with most bytes, most first. Hosts that stand there several times are put together.
std::vector<TopHost> most_of(std::vector<TopHost> hosts, std::size_t most);

class TopHosts {
 public:
  explicit TopHosts(const HashSeed& seed = process_seed()) : seed_(seed), places_(kBuckets * kWays) {}

  // The source of `key` sent so many bytes.
  void add(const FlowKey& key, std::uint64_t bytes);

  // The hosts that sent most, as far as is sure, and forgets all.
  std::vector<TopHost> take(std::size_t most);

 private:
  static constexpr std::size_t kWays = 8, kBuckets = 2048;
  using Host = std::array<std::uint8_t, 17>;  // version and address
  struct Place {
    Host host{};  // version 0: nobody's
    std::uint64_t bytes = 0;
    std::uint64_t in_doubt = 0;  // of these
  };

  const HashSeed seed_;
  std::vector<Place> places_;
};

}  // namespace warpmeter::inline command
