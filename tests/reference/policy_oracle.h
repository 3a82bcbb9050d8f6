// What a policy makes of a trace, packet by packet: docs/policies.md written down once more, with no thought of speed.
// Its streams are those of StreamOracle, its Flow Records those of Meter.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "meter.h"
#include "pattern_oracle.h"
#include "policy_draft.h"
#include "policy_packet.h"
#include "stream_oracle.h"

namespace reference {

struct PolicyBounds {
  int64_t timeout = 64'000'000'000;  // ns of silence that end a connection; 0: never
  int64_t most_rounds = 0;           // of a packet; 0: any
  bool shares_scans = false;         // of groups that the same packets pass: it shows where the policy changes
};

struct GroupCounts {
  int64_t matches = 0, mismatches = 0;
  std::vector<int64_t> hits;  // by rule

  friend bool operator==(const GroupCounts&, const GroupCounts&) = default;
};

struct PolicyExtraction {
  std::string csv;  // of Flow Records, with the columns `labels` and those of fields
  int64_t metered = 0, dropped = 0, truncated = 0, rounds = 0;
  std::map<int, GroupCounts> groups;             // by id
  std::vector<PolicyExtraction> before_changes;  // the counts of then, for each change
};

class PolicyOracle {
 public:
  PolicyOracle(const PolicyDraft& policy, const Options& options, const PolicyBounds& bounds);

  // From the next packet on. Its columns of fields are among those of the first policy.
  void change_to(const PolicyDraft& policy);

  // In trace order.
  void take(const PolicyPacket& packet, int64_t number, int64_t time);

  const PolicyExtraction& counts() const { return result_; }  // so far

  // At the end of the trace.
  PolicyExtraction finish();

 private:
  struct Piece {
    Side side;
    int64_t offset;
    std::vector<uint8_t> bytes;
  };
  // Of one direction, what a group has scanned without a break.
  struct Scanned {
    int64_t begin;
    std::vector<uint8_t> bytes;
  };
  struct GroupState {
    std::vector<int64_t> hits;  // by rule
    std::array<std::optional<Scanned>, 2> texts;
  };
  struct Label {
    std::string text;
    bool of_flow;
    friend bool operator==(const Label&, const Label&) = default;
  };
  using Field = std::pair<std::string, std::string>;  // column, kind
  struct Connection {
    std::array<Endpoint, 2> ends;                       // client, server
    std::optional<std::pair<int64_t, int64_t>> stream;  // which of StreamOracle's: what opened it
    int64_t latest = 0;
    std::array<int64_t, 2> packets{};
    std::optional<int> verdict;
    std::map<int, GroupState> groups;  // by id
    std::vector<Label> labels;
    std::vector<Field> wanted;
    std::map<std::string, std::string> values;  // by column
    std::array<std::vector<uint8_t>, 2> heads;
    std::vector<int64_t> records;
  };
  struct View {
    const PolicyPacket& packet;
    Connection& connection;
    Side side;
    int64_t nth;
    const std::vector<Piece>& delivered;
  };
  struct Outcome {
    int at = to_out;                           // where the packet is; in the end its fate
    std::vector<std::pair<int, bool>> path;    // groups, matched
    std::vector<std::pair<int, size_t>> hits;  // group, rule
    std::vector<Label> labels;
    std::vector<Field> fields;
    bool final = false, truncated = false;
  };
  struct Patterns {
    std::vector<PatternOracle> payload, stream;
  };
  struct Record {
    FlowKey key;
    std::vector<std::string> labels;
    const Connection* connection;
  };
  using Key = std::tuple<int, int, Endpoint, Endpoint>;  // version, protocol; the lower end first

  Connection& connection_of(const PolicyPacket& packet, int64_t time, std::vector<Piece>& delivered);
  std::optional<std::pair<int64_t, int64_t>> take_segment(const OracleSegment& segment, std::array<Endpoint, 2>& ends,
                                                          std::vector<Piece>& delivered);
  static bool holds(const ConditionsDraft& conditions, const View& view);
  bool holds(const GroupDraft& group, size_t rule, const View& view, const Outcome& outcome,
             const std::set<size_t>& ended);
  std::set<size_t> scan(const GroupDraft& group, const View& view);
  Outcome rounds(const View& view);
  void step(const View& view, Outcome& outcome);
  void meter(const View& view, const Outcome& outcome, int64_t number, int64_t time);
  void take_fields(const View& view, const Outcome& outcome);
  void add_label(int64_t record, const std::string& label);
  std::string with_columns(const std::string& csv, const std::vector<Flow>& flows) const;
  void begin_policy();

  PolicyDraft policy_;
  const std::set<std::string> columns_;  // of fields
  const Options options_;
  const PolicyBounds bounds_;
  std::map<int, const GroupDraft*> groups_;              // by id
  std::map<std::pair<int, size_t>, Patterns> patterns_;  // by group and rule
  StreamOracle streams_;
  Meter meter_;
  std::deque<Connection> connections_;
  std::map<Key, Connection*> current_;
  std::map<int64_t, Record> records_;        // by the flow's number
  std::map<FlowKey, int64_t> open_records_;  // the latest of each key
  PolicyExtraction result_;
};

// Several captures are one trace in the given order. Throws NotACapture.
// `changes`: in their order.
PolicyExtraction extract_with(const PolicyDraft& policy, std::span<const std::vector<uint8_t>> captures,
                              const Options& options, const PolicyBounds& bounds,
                              std::span<const LaterPolicy> changes = {});

}  // namespace reference
