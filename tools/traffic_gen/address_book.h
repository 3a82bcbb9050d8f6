// Who talks to whom. Every connection number has a five-tuple of its own: the client's address and port say which one
// it is, the server is one of a few. ICMP has no ports, there the pair of addresses does it.
#pragma once

#include <cstdint>

#include "connection.h"
#include "generator_options.h"
#include "seeded_random.h"

namespace traffic_gen {

class AddressBook {
 public:
  explicit AddressBook(const Options& options) : options_(options), pings_(options.first_connection) {}

  // A five-tuple not given before: unique for 2^38 connections and 2^36 pings.
  Tuple assign(uint64_t number, Random& random);

 private:
  void name_hosts(Tuple& tuple, uint64_t number, Random& random);
  void name_pingers(Tuple& tuple);

  const Options& options_;
  uint64_t pings_;
};

}  // namespace traffic_gen
