// UDP requests with their responses, and ICMP echo. Every packet carries a serial number, so none equals another.
#pragma once

#include "frame_pace.h"
#include "generator_options.h"
#include "seeded_random.h"

#include "connection.h"

namespace traffic_gen {

class DatagramScript {
 public:
  DatagramScript(const Options& options, Random& random, const Pace& pace)
      : options_(options), random_(random), pace_(pace) {}

  void begin(Connection& connection);

  // REQUIRES: an empty plan. Leaves it empty when the connection is over.
  void plan(Connection& connection, uint64_t now);

 private:
  void send(Connection& connection, Side side, uint16_t length);

  const Options& options_;
  Random& random_;
  const Pace& pace_;
};

}  // namespace traffic_gen
