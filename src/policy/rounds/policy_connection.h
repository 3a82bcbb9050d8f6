// What a policy keeps of one connection: where its groups stand in what they scan, what rules have counted, labels, the
// first bytes of both directions for fields, and the verdict.
//
// A connection of TCP is one of the reassembler; of anything else, and of segments that are in none, the packets of a
// 5-tuple up to a silence (docs/policies.md, "Connections").
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/hash_seed.h"
#include "core/prefetch.h"
#include "policy/patterns/pattern_set.h"
#include "policy/rounds/compiled_policy.h"
#include "policy/rounds/settled_flows.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline policy {

// The bytes of one direction that a scan unit has seen without a break.
struct ScannedText {
  std::optional<PatternStream> stream;  // none: nothing was scanned yet
  std::uint64_t next = 0;               // offset of the byte that continues it
};

struct UnitState {
  std::uint32_t unit;
  std::array<ScannedText, 2> texts;  // by direction: client, server
};

// Packets in a row of one Flow Key that all brought the same labels of scope flow, and no new ones.
struct LabelStreak {
  std::vector<LabelNumber> labels;    // none: there is no streak
  std::uint64_t first = 0, last = 0;  // numbers of packets
};

// A Flow Key of the connection: one of its directions, or with VLAN ids one of several.
struct ConnectionFlow {
  FlowKey key;
  std::uint64_t first, last;  // packets that are metered
  bool is_marked = false;     // the notes say where the connection begins
  LabelStreak streak;         // that may go on
};

// First what all packets need behind a verdict.
struct PolicyConnection {
  std::uint64_t number = 0;                // in its shard
  std::array<std::uint64_t, 2> packets{};  // by direction
  std::optional<GroupPlace> verdict;       // an end that all later packets have
  bool needs_bytes = true;                 // false: a verdict, and no field that is waited for; it stays so
  bool has_ended = false;
  bool is_pushed_out = false;  // it ended for want of memory
  bool joins = false;          // it may be one that was pushed out, going on
  Tcb* tcb = nullptr;          // of the reassembler; null: it is none of its
  std::array<SettledFlow, 2> latest;

  std::vector<ConnectionFlow> flows;  // most often two
  std::size_t bytes = 0;              // that the shard counts for it
  // In its shard's list by their last packets, as long as it has something to lose.
  PolicyConnection* older = nullptr;
  PolicyConnection* newer = nullptr;

  std::vector<UnitState> units;                               // that have scanned
  std::vector<std::pair<std::uint32_t, std::uint64_t>> hits;  // by the rule's counter, in the order of these
  std::vector<LabelNumber> labels;                            // of its scope, in the order in which they came
  LabelSet has_label;                                         // of these, as long as there may be more
  std::vector<CompiledField> wanted;                          // fields that rules asked for
  std::vector<std::pair<std::uint32_t, std::string>> values;  // by column, as noted
  std::array<std::vector<std::uint8_t>, 2> heads;             // first bytes of each direction, for fields
  FlowKey client;            // of the first packet, where it is no connection of the reassembler
  std::int64_t last_ns = 0;  // as above

  // Where groups stand, what rules counted, the first bytes. Labels and values stay.
  bool has_state() const { return !units.empty() || !hits.empty() || heads[0].capacity() + heads[1].capacity() > 0; }
  // It is in no list: what is left of it stays as long as its reassembler knows it.
  bool has_nothing_to_lose() const { return !needs_bytes && tcb; }
  void forget_state();
  void forget_groups();  // of these, all but the first bytes
  // Another policy comes: `unit` and `counter` say which numbers its units and counters have there; kNowhere: they
  // begin anew.
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  void renumber(const std::vector<std::uint32_t>& unit, const std::vector<std::uint32_t>& counter);

  // Asks for what those packets need that go through rounds.
  void prefetch_all() const {
    for (std::size_t line = 0; line < sizeof *this; line += kCacheLine)
      prefetch(reinterpret_cast<const std::uint8_t*>(this) + line);
  }

  // Packets of this key and direction are passed over from now on. REQUIRES: nothing is expected of the connection any
  // more, which is one of the reassembler and has not ended.
  void settle_flow(SettledFlows& all, bool from_server, const FlowKey& key, std::uint64_t hash);
  // The same of the flows that it has, but for those whose next packet ends a row of packets with the same labels.
  // `key`: of a packet of this direction.
  void settle_flows(SettledFlows& all, const FlowKey& key, bool from_server, const HashSeed& seed);

  bool has_value(std::uint32_t column) const;
  bool wants_a_value() const;  // that a rule asked for
  UnitState& unit(std::uint32_t number_of_unit);
  std::uint64_t& hits_of(std::uint32_t counter);
  // The flow of this key, which is added if it is new. `packet`: its number.
  ConnectionFlow& flow(const FlowKey& key, std::uint64_t packet) {
    for (ConnectionFlow& known : flows) {
      if (known.key == key) return known;
    }
    if (flows.empty()) flows.reserve(2);
    return flows.emplace_back(ConnectionFlow{key, packet, packet, false, {}});
  }
};

}  // namespace warpmeter::inline policy
