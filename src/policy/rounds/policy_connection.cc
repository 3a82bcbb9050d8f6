#include "policy/rounds/policy_connection.h"

#include <algorithm>
#include <cstring>

#include "core/flow_hash.h"

namespace warpmeter::inline policy {
namespace {

bool same_source(const FlowKey& a, const FlowKey& b) {
  return std::memcmp(a.source, b.source, sizeof a.source) == 0 &&
         std::memcmp(a.source_port, b.source_port, sizeof a.source_port) == 0;
}

}  // namespace

void PolicyConnection::settle_flow(SettledFlows& all, bool from_server, const FlowKey& key, std::uint64_t hash) {
  SettledFlow& flow = latest[from_server];
  if (flow.tcb && flow.hash == hash) return;
  if (flow.tcb) all.remove(flow);
  flow.key = key;
  flow.hash = hash;
  flow.tcb = tcb;
  flow.from_server = from_server;
  flow.is_dropped = *verdict == kDropPlace;
  all.add(flow);
}

void PolicyConnection::settle_flows(SettledFlows& all, const FlowKey& key, bool from_server, const HashSeed& seed) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowKey& known = flows[i].key;
    const bool side = same_source(known, key) ? from_server : !from_server;
    if (latest[side].tcb || !flows[i].streak.labels.empty()) continue;
    if (*verdict != kDropPlace) {
      latest[side].flow = static_cast<std::uint32_t>(i);
      latest[side].last = flows[i].last;
    }
    settle_flow(all, side, known, seeded_hash_of(hashed_key(known), seed));
  }
}

void PolicyConnection::forget_groups() {
  if (units.capacity() > 0) std::vector<UnitState>().swap(units);
  if (hits.capacity() > 0) decltype(hits)().swap(hits);
}

void PolicyConnection::forget_state() {
  forget_groups();
  for (auto& head : heads) std::vector<std::uint8_t>().swap(head);
}

void PolicyConnection::renumber(const std::vector<std::uint32_t>& unit, const std::vector<std::uint32_t>& counter) {
  for (UnitState& state : units) state.unit = unit[state.unit];
  std::erase_if(units, [](const UnitState& state) { return state.unit == kNowhere; });
  for (auto& hit : hits) hit.first = counter[hit.first];
  std::erase_if(hits, [](const auto& hit) { return hit.first == kNowhere; });
  std::ranges::sort(hits);
}

bool PolicyConnection::has_value(std::uint32_t column) const {
  return std::ranges::find(values, column, &std::pair<std::uint32_t, std::string>::first) != values.end();
}

bool PolicyConnection::wants_a_value() const {
  return std::ranges::any_of(wanted, [&](const CompiledField& field) { return !has_value(field.column); });
}

UnitState& PolicyConnection::unit(std::uint32_t of) {
  const auto found = std::ranges::find(units, of, &UnitState::unit);
  if (found != units.end()) return *found;
  units.push_back({of, {}});
  return units.back();
}

std::uint64_t& PolicyConnection::hits_of(std::uint32_t counter) {
  const auto found = std::ranges::lower_bound(hits, counter, {}, &std::pair<std::uint32_t, std::uint64_t>::first);
  if (found != hits.end() && found->first == counter) return found->second;
  return hits.emplace(found, counter, 0)->second;
}

}  // namespace warpmeter::inline policy
