// A policy before it is a file: groups of rules, as random_policy makes them and PolicyOracle runs them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle_streams.h"
#include "reference_key.h"

namespace reference {

// Both ends belong to it.
struct NumberRange {
  int64_t low = 0, high = 0;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};
inline constexpr int64_t no_highest = std::numeric_limits<int64_t>::max();

struct PrefixDraft {
  int version = 4;
  Address address{};
  int length = 0;
  friend bool operator==(const PrefixDraft&, const PrefixDraft&) = default;
};

// All that are given hold together. A list without elements is no condition.
struct ConditionsDraft {
  std::optional<int> version;
  std::vector<int> protocols;
  std::vector<PrefixDraft> sources, destinations;
  std::vector<NumberRange> source_ports, destination_ports, ports, vlans, lengths, payload_lengths, nth;
  std::string flags, not_flags;  // letters of FSRPAUEC
  std::optional<Side> way;
  friend bool operator==(const ConditionsDraft&, const ConditionsDraft&) = default;
};

// Ids of groups, or one of these ends.
inline constexpr int to_out = 0, to_drop = -1;
inline bool is_end(int group) { return group <= 0; }

struct RuleDraft {
  ConditionsDraft conditions;
  std::vector<std::string> label_is, label_is_not;
  std::vector<std::string> payload, stream;  // patterns that PatternOracle takes
  int64_t after = 1;
  std::vector<std::string> labels;
  bool of_flow = false;                                     // scope
  std::vector<std::pair<std::string, std::string>> fields;  // column, kind
  std::optional<int> next;
  bool final = false;
  friend bool operator==(const RuleDraft&, const RuleDraft&) = default;
};

struct GroupDraft {
  int id = 0;
  bool all = false;  // mode
  std::vector<RuleDraft> rules;
  int match = to_out, mismatch = to_out;
};

struct InitDraft {
  ConditionsDraft conditions;
  int to = to_out;
};

struct PolicyDraft {
  std::vector<InitDraft> init;
  int init_default = to_out;
  std::vector<GroupDraft> groups;
};

// A policy that takes the place of another while packets come.
struct LaterPolicy {
  int64_t behind = 0;  // so many frames
  PolicyDraft policy;
  std::string request;  // what brings it: a request of the control socket
};

// As a policy file, or as the piece of one that says this.
std::string toml(const PolicyDraft& policy);
std::string toml(const GroupDraft& group);
std::string toml(const InitDraft& rule);

// Columns of fields of all rules.
std::set<std::string> columns_of(const PolicyDraft& policy);

}  // namespace reference
