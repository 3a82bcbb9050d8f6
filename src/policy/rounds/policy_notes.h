// Labels and fields of connections as annotations of their flows: which Flow Records get them.
//
// A label of scope flow goes to the Flow Record that its packet is metered in. One of scope connection, and a field,
// goes to those of the connection that are open then or begin later; a field also to those that have ended. Flow
// Records that another connection of the 5-tuple has begun get none. A connection without labels and fields notes
// nothing.
//
// What no Flow Record will have for the number of its labels (annotations.h) is not noted: of a packet, labels of scope
// flow behind the first `most`, which its Flow Record has; of a connection, labels of its scope behind the first
// `most`, since each Flow Record that gets a later one has all of those before.
//
// Source: docs/policies.md, "What comes out".
//
// Threads: one owner. Errors: what the sink throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/annotations.h"
#include "policy/rounds/compiled_policy.h"
#include "policy/rounds/policy_connection.h"

namespace warpmeter::inline policy {

// Columns of annotations: labels first, then those of fields, by number.
inline constexpr std::uint32_t kLabelsColumn = 0;
inline constexpr std::uint32_t kFirstFieldColumn = 1;

class PolicyNotes {
 public:
  // What is referred to must outlive it.
  // `ends_streaks`: end_streaks() will be called.
  PolicyNotes(const CompiledPolicy& policy, AnnotationSink& sink, bool ends_streaks = false,
              std::size_t most = kMostKept)
      : policy_(&policy), sink_(sink), ends_streaks_(ends_streaks), most_(most) {}

  // Another policy has come, whose labels go on behind those of the one before.
  void take_over(const CompiledPolicy& policy) { policy_ = &policy; }

  // A packet of this key is metered, which brought these labels. To be called of all packets of a connection that are
  // metered, in their order.
  // `new_values`: so many values of the connection, the last ones, came with it.
  void packet(PolicyConnection& c, const FlowKey& key, std::uint64_t number, const std::vector<BroughtLabel>& brought,
              std::size_t new_values = 0);
  // The same of a packet of this direction that brought none. REQUIRES: none of the connection will, and none will
  // bring a value.
  void went_on(PolicyConnection& c, const FlowKey& key, bool from_server, std::uint64_t number) {
    SettledFlow& latest = c.latest[from_server];
    if (latest.is_of(key)) latest.last = std::max(latest.last, number);
    else note_latest(c, key, latest, number);
  }
  // What is told of packets in a row is noted up to here: Flow Records may leave that began among them. REQUIRES: all
  // connections of packets since the last call still are there.
  void end_streaks();
  // No more packets will be of it, or none at all.
  void end(PolicyConnection& c, bool is_end_of_trace = false);

 private:
  void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach);
  void mark(const PolicyConnection& c, ConnectionFlow& flow);
  static Annotation with_values(Annotation annotation, const PolicyConnection& c, std::size_t from);
  void add_from_beginning(const PolicyConnection& c, ConnectionFlow& flow, Annotation& annotation);
  void begin_flow(const PolicyConnection& c, ConnectionFlow& flow);
  bool is_new(const PolicyConnection& c, const BroughtLabel& label) const;
  bool goes_on(const PolicyConnection& c, const LabelStreak& streak, const std::vector<BroughtLabel>& brought) const;
  void end_streak(ConnectionFlow& flow);
  void note_latest(PolicyConnection& c, const FlowKey& key, SettledFlow& latest, std::uint64_t number);
  void add_in_order(PolicyConnection& c, ConnectionFlow& flow, std::uint64_t number,
                    const std::vector<BroughtLabel>& brought);
  std::string joined(std::span<const LabelNumber> labels) const;
  void take_new(PolicyConnection& c, LabelNumber label) const;
  void add_to_all(PolicyConnection& c, std::span<const LabelNumber> labels, std::uint64_t number);

  const CompiledPolicy* policy_;
  AnnotationSink& sink_;
  const bool ends_streaks_;
  const std::size_t most_;
  std::vector<std::pair<PolicyConnection*, FlowKey>> streaks_;  // that began since the last end_streaks()
};

}  // namespace warpmeter::inline policy
