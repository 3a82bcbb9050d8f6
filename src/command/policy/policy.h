// `warpmeter policy`: is a policy file good, and what does it do? As text, as a drawing, and packet by packet.
//
// Threads: one call at a time of those that return a status, else any. Errors: Error; of a file that is no policy, with
// the status of wrong usage and one line that names group and rule.
#pragma once

#include <atomic>
#include <string>

#include "pipeline/metering/command_options.h"
#include "policy/memory/policy_memory.h"
#include "policy/rounds/rounds_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct PolicyOptions {
  std::string file;
  std::string svg;  // where the graph is drawn; "": nowhere
};

ExitStatus check_policy(const PolicyOptions& options);
ExitStatus explain_policy(const PolicyOptions& options);

// What a policy does, as text: where packets begin, its groups in the order in which they run, its longest path, and
// the automata that its patterns become. Throws PolicyError or PatternError of patterns that fit each into their group
// and not together.
std::string policy_headline(const PolicyMemory& memory);          // "3 groups, 4 rules, ..."
std::string named_group(const PolicyMemory& memory, GroupId id);  // "10 http", "OUT"
std::string explained_policy(const PolicyMemory& memory);

// The graph of a policy as an SVG drawing: groups as boxes in layers, from where packets begin downwards, so that every
// line leads down. Lines of match and mismatch differ in colour and in stroke. Throws Error, of wrong usage, where
// there are more groups than a drawing can show.
std::string policy_graph(const PolicyMemory& memory);

// `warpmeter policy test`: a policy over captures, a line for each packet: its number, the groups it went through with
// + for a match and - for none, its fate, and its labels.
struct TestPolicyOptions : CommandOptions {
  RoundsOptions rounds;
  std::string expect;  // file with the lines that should come, "": none
};

// Writes the lines to standard output; with `expect`, the first that differ instead, and the status is `failed`.
ExitStatus test_policy(const TestPolicyOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
