// How many rounds a live capture lets a packet have, where that follows what the machine has left (--rounds auto).
//
// When metering does not keep up (load_control.h), there are half as many, or fewer, if that is what fits:
//
//   N = rounds a second that the machine can do / packets a second that arrive and take any
//
// What the machine can do beside the rest is what its threads have left of their time, by the time that a round has
// taken so far. When there is time again, a quarter more, but one at the least. What every packet goes through
// stays, and the bound goes where it reaches the longest path of the policy.
//
// Source: "Mobius: packet re-processing for rich policy handling on a network processor", J. Netw. Syst. Manag. 2021,
// S(n); docs/policies.md.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>

#include "command/live/load_control.h"
#include "policy/rounds/compiled_policy.h"
#include "policy/rounds/rounds_bound.h"

namespace warpmeter::inline command {

// Of some time that has passed.
struct RoundsLoad {
  double ns = 0;  // that all threads had together
  RoundsBound::Work work;
  std::uint64_t arrived = 0;  // packets, those that were lost as well
  std::uint64_t read = 0;     // of these

  double share() const { return ns > 0 ? static_cast<double>(work.ns) / ns : 0; }  // of the time, for rounds
};

// Of packets that take any.
struct RoundsOfPolicy {
  std::uint32_t least = 1;    // a smaller bound would change nothing
  std::uint32_t longest = 0;  // path
};
RoundsOfPolicy rounds_of(const CompiledPolicy& policy);

// How many rounds each packet could have, of those that take any, if all that arrive were read; 1 at the least. kNone:
// nobody knows.
std::uint32_t rounds_that_fit(const RoundsLoad& load);

class RoundsControl {
 public:
  static constexpr std::chrono::seconds kQuiet{10};
  static constexpr double kTimeToSpare = 0.9;  // of the time, what the threads would work with the rounds that come

  // Some times a second. `look.busy`: of all threads together. Returns how many rounds a packet has at most from
  // now on; kNone: no bound.
  std::uint32_t look(LoadControl::Look look, const RoundsLoad& load, const RoundsOfPolicy& of_policy);
  std::uint32_t most() const { return most_; }

 private:
  std::uint32_t most_ = RoundsBound::kNone;
  LoadControl control_{kQuiet, kTimeToSpare};
};

}  // namespace warpmeter::inline command
