// Traffic that meets the patterns of a random policy often, and the policy in the program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/extra_column.h"
#include "policy/rounds/policy_notes.h"
#include "property/in_process.h"
#include "reference/policy_oracle.h"
#include "reference/random_policy.h"
#include "reference/reference_random.h"
#include "reference/stream_traffic.h"

namespace warpmeter::test {

struct PolicyCase {
  reference::PolicyDraft policy;
  reference::StreamShape shape;
  reference::Options options;
  reference::PolicyBounds bounds;

  std::vector<std::uint8_t> capture() const { return reference::stream_traffic(shape); }
};

// Time comes to the borders of connections as well as to those of Flow Records.
inline PolicyCase policy_case(std::uint64_t seed) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  reference::Random random(seed ^ 0x726f756e6473);  // not the draws of the traffic itself
  const reference::StreamCase streams = reference::stream_case(seed);
  PolicyCase made;
  made.policy = reference::random_policy(seed);
  made.shape = streams.shape;
  made.shape.packets = std::min(made.shape.packets, 250u);
  made.shape.other_percent = random.pick({0u, 10u, 40u, 90u});
  made.shape.habits.heads = reference::policy_heads();
  made.shape.habits.words = reference::policy_words();
  made.shape.habits.longest = std::min(made.shape.habits.longest, random.pick({20u, 100u, 300u}));
  made.bounds.timeout = streams.options.timeout;
  if (random.percent(25)) made.bounds.most_rounds = 1 + static_cast<std::int64_t>(random.below(4));
  made.options.decapsulate = streams.options.decapsulate;
  made.options.key_vlan = random.percent(30);
  made.options.idle_timeout = random.pick<std::int64_t>({300'000, 1000, 1000, 3, 0}) * kMillisecond;
  made.options.active_timeout = random.pick<std::int64_t>({1'800'000, 5000, 100, 5, 0}) * kMillisecond;
  return made;
}

// Under a sanitizer a case takes seconds: an eighth of them.
constexpr std::uint64_t usual_policy_cases(std::uint64_t cases) { return fewer(4) < 4 ? cases / 2 : cases; }

inline constexpr std::uint64_t kLittlePolicyMemory = 800 << 10;  // for a few connections in each shard

// Each case under some of them.
inline const std::vector<Setting> kPolicySettings = {
    {.threads = 1},
    {.threads = 2, .batch = 7},
    {.threads = 3, .batch = 1024},
    {.threads = 8, .batch = 1},
    {.threads = 1, .batch = 64, .run_memory = 1},
    {.threads = 5, .batch = 20, .run_memory = 1},
};

// So that a difference can be looked at by itself.
inline std::string policy_context(std::uint64_t seed, const PolicyCase& chosen, const Setting& setting, bool fuse) {
  std::ostringstream out;
  out << "seed " << seed << ", " << setting << (fuse ? ", fused" : "") << ", rounds " << chosen.bounds.most_rounds
      << ", timeout " << chosen.bounds.timeout << ", options " << arguments_text(chosen.options) << "\n"
      << reference::toml(chosen.policy);
  return out.str();
}

// False where a frame, such as an A-MSDU, holds two packets of one flow. They have one number: where a connection ends
// and another begins between them, nothing says which of their Flow Records is whose.
inline bool numbers_tell_packets(const std::vector<std::uint8_t>& file, const reference::Options& options) {
  const reference::Capture capture = reference::read_capture(file);
  return std::ranges::none_of(capture.frames, [&](const reference::Frame& frame) {
    std::vector<reference::FlowKey> keys;
    for (const auto& packet : reference::policy_packets_of(frame, options, 1)) keys.push_back(packet.packet.key);
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
  });
}

struct PolicyRun {
  bool fuse = true;
  reference::PolicyBounds bounds;
};

// Runs this policy, and gives Flow Records its columns.
inline void add_policy(std::shared_ptr<const CompiledPolicy> policy, const reference::PolicyBounds& bounds,
                       ExtractOptions& options) {
  RoundsOptions& to = options.policy;
  to.policy = std::move(policy);
  if (bounds.most_rounds != 0) to.most_rounds = static_cast<std::uint32_t>(bounds.most_rounds);
  to.timeout_ns = bounds.timeout;
  auto& columns = options.output.extra_columns;
  columns.push_back(std::make_shared<AnnotationColumn>("labels", kLabelsColumn, true));
  for (std::uint32_t i = 0; i < to.policy->columns().size(); ++i) {
    columns.push_back(std::make_shared<AnnotationColumn>(to.policy->columns()[i], kFirstFieldColumn + i, false));
  }
}

inline std::function<void(ExtractOptions&)> with_policy(const reference::PolicyDraft& policy, const PolicyRun& run) {
  return [=](ExtractOptions& options) {
    const bool fuse = run.fuse && run.bounds.most_rounds == 0;
    const auto compiled = std::make_shared<CompiledPolicy>(PolicyMemory::load(reference::toml(policy)), fuse);
    add_policy(compiled, run.bounds, options);
  };
}

// What the statistics of a run say of its policy, in the oracle's form.
inline reference::PolicyExtraction counted(const nlohmann::json& stats) {
  const nlohmann::json& policy = stats.at("policy");
  reference::PolicyExtraction made;
  made.metered = stats.at("packets metered");
  made.dropped = policy.at("dropped_packets");
  made.truncated = policy.at("truncated_packets");
  made.rounds = policy.at("rounds");
  for (const nlohmann::json& group : policy.at("groups")) {
    reference::GroupCounts& counts = made.groups[group.at("id")];
    counts.matches = group.at("matches");
    counts.mismatches = group.at("mismatches");
    for (const nlohmann::json& rule : group.at("rules")) counts.hits.push_back(rule.at("hits"));
  }
  return made;
}

inline testing::AssertionResult same_counts(const reference::PolicyExtraction& expected,
                                            const reference::PolicyExtraction& got) {
  std::string differ;
  const auto compare = [&](const std::string& what, std::int64_t want, std::int64_t have) {
    if (want != have) differ += "\n  " + what + ": " + std::to_string(have) + ", not " + std::to_string(want);
  };
  compare("metered", expected.metered, got.metered);
  compare("dropped", expected.dropped, got.dropped);
  compare("truncated", expected.truncated, got.truncated);
  compare("rounds", expected.rounds, got.rounds);
  for (const auto& [id, counts] : expected.groups) {
    const std::string group = "group " + std::to_string(id);
    const auto found = got.groups.find(id);
    if (found == got.groups.end()) return testing::AssertionFailure() << group << " is not there";
    compare(group + " matches", counts.matches, found->second.matches);
    compare(group + " mismatches", counts.mismatches, found->second.mismatches);
    for (std::size_t i = 0; i < counts.hits.size(); ++i) {
      compare(group + " rule " + std::to_string(i + 1), counts.hits[i], found->second.hits.at(i));
    }
  }
  return differ.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << "counters differ" << differ;
}

}  // namespace warpmeter::test
