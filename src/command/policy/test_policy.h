// `warpmeter policy test`: a policy over captures, a line for each packet: its number, the groups it went through with
// + for a match and - for none, its fate, and its labels.
//
// Threads: one call at a time. Errors: Error; of a file that is no policy, with the status of wrong usage.
#pragma once

#include <atomic>
#include <string>

#include "pipeline/metering/command_options.h"
#include "policy/rounds/policy_rounds.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct TestPolicyOptions : CommandOptions {
  RoundsOptions rounds;
  std::string expect;  // file with the lines that should come, "": none
};

// Writes the lines to standard output; with `expect`, the first that differ instead, and the status is `failed`.
ExitStatus test_policy(const TestPolicyOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
