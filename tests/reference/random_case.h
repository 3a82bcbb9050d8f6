// One number, one property test: the shape of some traffic and the options to meter it with, chosen so that the
// timeouts and gaps of the one are those of the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_options.h"
#include "traffic_shape.h"

namespace reference {

struct RandomCase {
  TrafficShape shape;
  Options options;
};

RandomCase random_case(uint64_t seed);

// The same for the method five_tuple, with blocks so short that most traces have many.
RandomCase five_tuple_case(uint64_t seed);

// The same over all link types, with tunnels, and with --decapsulate more often than not.
RandomCase wrapped_case(uint64_t seed);

// The same with a sample of the flows, half of them over Ethernet.
RandomCase sampled_case(uint64_t seed);

// The options as command-line arguments; defaults are left out.
std::vector<std::string> arguments_of(const Options& options);

}  // namespace reference
