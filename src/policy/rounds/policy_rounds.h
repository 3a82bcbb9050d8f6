// Packets in rounds: each goes through groups of rules until it leaves or is dropped.
//
// Batches are small. First each packet goes to its connection, in trace order, and what it delivers is kept. Then every
// group runs once, in topological order, over the packets that have come to it, in trace order: all packets of the
// batch that will come to it are there by then, so that what a group sees and keeps depends on the trace alone. At
// last, packet by packet, the verdicts of earlier packets take effect, and labels, fields and fates are settled.
//
// Most packets come behind a verdict, and go into no batch: they are passed over where they stand (settled_flows.h).
//
// Source: "Mobius: packet re-processing for rich policy handling on a network processor", J. Netw. Syst. Manag. 2021;
// docs/policies.md.
//
// Threads: one owner. Errors: what the sink throws.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/annotations.h"
#include "core/policy_batch.h"
#include "policy/rounds/compiled_policy.h"
#include "policy/rounds/outcome.h"
#include "policy/rounds/policy_notes.h"
#include "policy/rounds/policy_shard.h"
#include "policy/rounds/rounds_options.h"
#include "policy/rounds/running_policy.h"

namespace warpmeter::inline policy {

class PolicyRounds : private DeliveryTaker {
 public:
  // Of neighbouring shards first_shard .. last_shard - 1. `notes`: null if there are no Flow Records; `watcher`: null
  // if nobody wants to see. What is referred to must outlive it, `hash_seed` excepted. REQUIRES: options.policy.
  // `leave`: Flow Records leave before all packets are there, and what is noted of them has to be by then.
  PolicyRounds(const RoundsOptions& options, const HashSeed& hash_seed, unsigned first_shard, unsigned last_shard,
               std::pmr::memory_resource& memory, AnnotationSink* notes, OutcomeWatcher* watcher = nullptr,
               bool leave = false);
  ~PolicyRounds() override;

  // The next packets of these shards, in trace order within each. Returns those that are not dropped, until the next
  // call, or as long as `listed`, where it is that.
  std::span<const ListedSegment> take(const PolicyBatch& batch, std::span<const ListedSegment> listed);
  // There are no more.
  void end();

  // From the next packet on. What it has unchanged of the policy before keeps what it knows of connections; verdicts,
  // labels and values stay. REQUIRES: it was made in place of that one, or of one that was.
  void take_over(std::shared_ptr<const CompiledPolicy> policy);

  PolicyCounters counters() const;

 private:
  static constexpr std::size_t kBatch = 64;  // packets that run together
  struct Packet {
    PacketView view;
    std::size_t at;  // in the list
    std::uint64_t number;
    PolicyShard* shard;
    PolicyConnection* connection;
    bool is_done;  // its connection has its verdict, and wants nothing of it: the rest is not filled in
    std::uint32_t first_piece, pieces;  // that it delivers
    Outcome outcome;
  };
  // Of packets that will be asked for soon.
  struct Coming {
    static constexpr std::size_t kNone = ~std::size_t{0};
    PayloadSegment segment;
    Tcb* likely = nullptr;   // its connection, perhaps
    std::size_t at = kNone;  // whose it is, in the list
  };
  struct Ending {
    std::size_t before;  // packet of the batch
    std::unique_ptr<PolicyConnection> connection;
  };
  // What a scan unit found in the packets of a batch, a bitmap of its rules each.
  struct UnitFinds {
    std::vector<RuleWord> payload, stream;
    std::bitset<kBatch> has_payload, has_stream;  // the packet was scanned
    std::bitset<kBatch> in_payload, in_stream;    // and something was found
    std::optional<PatternStream> of_datagram;
  };

  void prepare();
  void take_over_what_came();
  void delivered(const DeliveredPiece& piece) override;
  void ended(std::unique_ptr<PolicyConnection> connection) override;

  using Listed = std::span<const ListedSegment>;
  void look_ahead(const PolicyBatch& batch, Listed listed, std::size_t i);
  const PayloadSegment& prepare(const PolicyBatch& batch, Listed listed, std::size_t i);
  void prefetch_connection(Listed listed, std::size_t i);
  bool pass_settled(const PolicyBatch& batch, const ListedSegment& one, std::size_t at);
  void take_next(const PolicyBatch& batch, Listed listed, std::size_t at);
  // What goes for want of memory must not depend on how batches are cut: where it may come to that, packets run one by
  // one.
  std::size_t most_beside(const PolicyShard& shard) const {
    return std::max<std::size_t>(shard.room() / most_growth_, 1);
  }
  void run_some(const PolicyBatch& batch, Listed listed);
  void place(const PolicyBatch& batch, std::uint32_t in_batch, const PayloadSegment& s, std::size_t i);
  Listed passed_of(Listed listed);
  GroupPlace start_of(const PacketView& view);
  void run_groups();
  void run_group(GroupPlace place);
  void step(GroupPlace place, std::size_t i);
  void match_rules(const CompiledGroup& group, std::size_t i);
  // Of a group whose rules all ask for patterns no rule holds if none was found, whatever header conditions say, which
  // cost more than to look. A payload that was not scanned yet is, if header conditions keep no rule from it.
  bool finds_nothing(const CompiledGroup& group, std::size_t i) {
    const UnitFinds& finds = finds_[group.unit];
    if (group.needs_stream && !finds.in_stream.test(i)) return true;
    if (!group.needs_payload) return false;
    if (!finds.has_payload.test(i)) {
      if (group.headers.is_asked()) return false;
      payload_finds(group.unit, i);
    }
    return !finds.in_payload.test(i);
  }
  RuleWord with_patterns(const CompiledGroup& group, std::size_t word, std::size_t i);
  bool holds(const CompiledGroup& group, std::uint32_t rule, std::size_t i);
  void apply(const CompiledGroup& group, std::uint32_t rule, Outcome& outcome);
  bool is_beyond_bound(const Outcome& outcome, GroupPlace to) const;
  void move(Packet& packet, std::size_t i, GroupPlace to);
  void scan_stream(std::uint32_t unit, std::size_t i);
  const RuleWord* payload_finds(std::uint32_t unit, std::size_t i);
  void settle(std::size_t i);
  void go_on(const Packet& packet, const FlowKey& key, std::uint64_t hash);
  void take_fields(Packet& packet);
  // The first bytes of both directions, with those that a packet brings.
  struct HeadsOfPacket {
    std::array<std::span<const std::uint8_t>, 2> of;
    std::array<bool, 2> is_in_packet{};  // all of them are, and the connection does not have them
    std::array<std::size_t, 2> added{};  // of these
    bool any = false;                    // the packet brought some
    bool has_line() const;               // and the end of a line
  };
  HeadsOfPacket heads_with(const Packet& packet);
  static void want_nothing(PolicyConnection& c);
  std::size_t bytes_of(const PolicyConnection& c) const;
  void finish_endings(std::size_t before);

  const RoundsOptions options_;
  const bool leave_;
  std::uint32_t most_rounds_;  // of a packet of the batch that runs
  std::shared_ptr<const CompiledPolicy> policy_;
  std::uint64_t generation_ = 0;  // of options_.running
  const unsigned first_shard_;
  std::optional<PolicyNotes> notes_;
  OutcomeWatcher* const watcher_;
  const std::size_t most_labels_;  // of a packet and a scope; without a watcher, those that the notes take
  SettledFlows settled_;
  std::vector<std::unique_ptr<PolicyShard>> shards_;
  PatternScratch scratch_;
  PolicyCounters counters_;
  std::size_t most_growth_ = 0;  // bytes that a packet adds at most to what its connection has

  static constexpr std::size_t kStep = 4, kComing = 16;
  std::array<Coming, kComing> coming_;    // a ring
  std::array<std::size_t, kStep> asked_;  // of these, connections of the latest that were asked for
  std::size_t asked_count_ = 0;
  std::vector<std::size_t> dropped_;  // of the list
  std::vector<ListedSegment> passed_;

  // Of the batch that runs.
  std::vector<Packet> packets_;
  std::size_t count_ = 0, most_ = kBatch;
  std::vector<std::bitset<kBatch>> waiting_;  // packets, by group
  std::vector<UnitFinds> finds_;
  std::vector<DeliveredPiece> pieces_;
  std::deque<std::vector<std::uint8_t>> copies_;  // of pieces whose memory goes
  std::vector<Ending> endings_;
  std::size_t ended_ = 0;  // of these
  bool is_over_ = false;   // there are no more packets
  std::vector<RuleWord> candidates_;
  std::vector<std::uint32_t> matched_;
};

}  // namespace warpmeter::inline policy
