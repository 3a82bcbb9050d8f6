#include "policy/rounds/policy_rounds.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

namespace warpmeter::inline policy {
namespace {

// Delivered bytes: in order, the first copy of each, at the packet that brings them.
ReassemblerOptions of_policies(const RoundsOptions& options) {
  ReassemblerOptions streams;
  streams.timeout_ns = options.timeout_ns;
  streams.memory = options.memory / 2;
  streams.spans = true;
  streams.each_packet = true;
  return of_one_shard(streams);
}

std::size_t stream_bytes(const PatternSet& set) {
  return std::max(set.stream_bytes(TextStart::stream), set.stream_bytes(TextStart::inside));
}

}  // namespace

PolicyRounds::PolicyRounds(const RoundsOptions& options, const HashSeed& hash_seed, unsigned first_shard,
                           unsigned last_shard, std::pmr::memory_resource& memory, AnnotationSink* notes,
                           OutcomeWatcher* watcher, bool leave)
    : options_(options),
      leave_(leave),
      most_rounds_(options.most_rounds),
      policy_(options.policy),
      first_shard_(first_shard),
      watcher_(watcher),
      most_labels_(watcher ? std::numeric_limits<std::size_t>::max() : kMostKept),
      packets_(kBatch) {
  if (notes) notes_.emplace(*policy_, *notes, leave);
  // Half is for streams, half for what connections have.
  const ReassemblerOptions streams = of_policies(options);
  const auto for_state = static_cast<std::size_t>(options.memory == 0 ? 0 : options.memory / 2 / kShards + 1);
  const auto shared =
      std::make_shared<SharedBuffers>(streams.block_size, memory, most_free_of(streams, last_shard - first_shard));
  DeliveryTaker& taker = *this;
  for (unsigned i = first_shard; i < last_shard; ++i) {
    shards_.push_back(
        std::make_unique<PolicyShard>(ShardStreams{streams, for_state, hash_seed, memory, shared}, taker));
  }
  prepare();
  counters_.policy = policy_;
  counters_.groups.resize(policy_->groups().size());
  counters_.hits.resize(policy_->rules());
}

// What a batch needs of the policy.
void PolicyRounds::prepare() {
  waiting_.assign(policy_->groups().size(), {});
  finds_.clear();
  finds_.resize(policy_->units().size());
  std::size_t words = policy_->init().words();
  for (const CompiledGroup& group : policy_->groups()) words = std::max(words, group.headers.words());
  candidates_.resize(words);
  for (std::size_t i = 0; i < finds_.size(); ++i) {
    const ScanUnit& unit = policy_->units()[i];
    if (unit.payload) finds_[i].payload.resize(kBatch * rule_words(unit.rules));
    if (unit.stream) finds_[i].stream.resize(kBatch * rule_words(unit.rules));
    if (unit.payload) scratch_.prepare(*unit.payload);
    if (unit.stream) scratch_.prepare(*unit.stream);
  }
  most_growth_ = sizeof(PolicyConnection) + sizeof(ConnectionFlow) + 2 * kFieldHead;
  for (const ScanUnit& unit : policy_->units()) {
    if (unit.stream) most_growth_ += sizeof(UnitState) + 2 * stream_bytes(*unit.stream);
  }
}

void PolicyRounds::take_over_what_came() {
  if (!options_.running || options_.running->generation() == generation_) return;
  generation_ = options_.running->generation();
  take_over(options_.running->current());
}

void PolicyRounds::take_over(std::shared_ptr<const CompiledPolicy> policy) {
  if (policy == policy_) return;
  const PolicyChange change(*policy_, *policy);
  for (const auto& shard : shards_) {
    shard->for_each_connection([&](PolicyConnection& c) { c.renumber(change.units, change.counters); });
  }
  counters_ = change.counters_after(counters_, policy);
  policy_ = std::move(policy);
  if (notes_) notes_->take_over(*policy_);
  prepare();
}

PolicyRounds::~PolicyRounds() = default;

std::span<const ListedSegment> PolicyRounds::take(const PolicyBatch& batch, Listed listed) {
  take_over_what_came();
  if (options_.bound) most_rounds_ = options_.bound->most();
  dropped_.clear();
  for (Coming& coming : coming_) coming.at = Coming::kNone;
  asked_.fill(Coming::kNone);
  for (std::size_t i = 0; i < listed.size() + 4 * kStep; ++i) {
    look_ahead(batch, listed, i);
    const std::size_t now = i - 4 * kStep;
    if (now < listed.size() && !pass_settled(batch, listed[now], now)) take_next(batch, listed, now);
  }
  run_some(batch, listed);
  const std::uint64_t last = batch.first_number + batch.frames - 1;
  for (const auto& shard : shards_) shard->detach_from_frames(last);
  return passed_of(listed);
}

// Connections lie anywhere: they are asked for some packets before their turn, step by step.
[[gnu::always_inline]] inline void PolicyRounds::look_ahead(const PolicyBatch& batch, Listed listed, std::size_t last) {
  if (last < listed.size()) settled_.prefetch_index(listed[last].hash);
  if (const std::size_t i = last - kStep; i < listed.size()) {
    if (settled_.is_likely(listed[i].hash)) settled_.prefetch_flow(listed[i].hash);
    else prepare(batch, listed, i);
  }
  if (const std::size_t i = last - 2 * kStep; i < listed.size()) {
    if (settled_.is_likely(listed[i].hash)) settled_.prefetch_connection(listed[i].hash);
    else prefetch_connection(listed, i);
  }
}

// What streams take, of one that does not seem to be of a settled flow.
const PayloadSegment& PolicyRounds::prepare(const PolicyBatch& batch, Listed listed, std::size_t i) {
  Coming& coming = coming_[i % kComing];
  if (coming.at == i) return coming.segment;
  const ListedSegment& one = listed[i];
  if (!is_tcp(batch.segment[one.at])) return coming.segment;
  coming.at = i;
  coming.likely = nullptr;
  shards_[one.shard - first_shard_]->prepare(batch, one.at, coming.segment);
  return coming.segment;
}

// What the connection has here is asked for when some more connections have been: what is known of it must have come.
void PolicyRounds::prefetch_connection(Listed listed, std::size_t i) {
  Coming& coming = coming_[i % kComing];
  if (coming.at == i) coming.likely = shards_[listed[i].shard - first_shard_]->prefetch_connection(coming.segment);
  const std::size_t before = std::exchange(asked_[asked_count_++ % kStep], i);
  const Coming& of = coming_[before % kComing];
  if (before < listed.size() && of.at == before && of.likely)
    shards_[listed[before].shard - first_shard_]->prefetch_state(*of.likely);
}

// Of a flow about which all is decided, the packet is but counted.
[[gnu::always_inline]] inline bool PolicyRounds::pass_settled(const PolicyBatch& batch, const ListedSegment& one,
                                                              std::size_t at) {
  SettledFlow* const flow = settled_.find(one.hash, batch.key[one.at]);
  if (!flow) return false;
  const Segment& s = batch.segment[one.at];
  const std::uint64_t number = batch.first_number + s.frame;
  if (!shards_[one.shard - first_shard_]->pass(*flow, s, batch.payload[one.at], number)) return false;
  flow->last = number;
  if (flow->is_dropped) {
    ++counters_.dropped;
    dropped_.push_back(at);
  }
  return true;
}

// Any other goes to its connection, and with some others through the groups.
void PolicyRounds::take_next(const PolicyBatch& batch, Listed listed, std::size_t at) {
  const ListedSegment& one = listed[at];
  PolicyShard& shard = *shards_[one.shard - first_shard_];
  if (options_.memory != 0) most_ = std::min(most_, most_beside(shard));
  if (count_ >= most_) {
    run_some(batch, listed);
    if (options_.memory != 0) most_ = std::min(most_, most_beside(shard));
  }
  Packet& packet = packets_[count_];
  packet.at = at;
  packet.number = batch.first_number + batch.segment[one.at].frame;
  packet.shard = &shard;
  place(batch, one.at, prepare(batch, listed, at), count_);
  ++count_;
}

// Those that have gathered.
void PolicyRounds::run_some(const PolicyBatch& batch, Listed listed) {
  run_groups();
  for (std::size_t i = 0; i < count_; ++i) {
    finish_endings(i);
    const Packet& packet = packets_[i];
    const ListedSegment& one = listed[packet.at];
    if (packet.is_done) go_on(packet, batch.key[one.at], one.hash);
    else settle(i);
    if (packet.outcome.at == kDropPlace) dropped_.push_back(packet.at);
  }
  finish_endings(count_);
  if (notes_ && leave_) notes_->end_streaks();
  endings_.clear();
  ended_ = 0;
  count_ = 0;
  most_ = kBatch;
  pieces_.clear();
  copies_.clear();
  for (UnitFinds& finds : finds_) {
    for (auto* const packets : {&finds.has_payload, &finds.has_stream, &finds.in_payload, &finds.in_stream}) {
      packets->reset();
    }
  }
}

// Most often nothing was dropped.
PolicyRounds::Listed PolicyRounds::passed_of(Listed listed) {
  if (dropped_.empty()) return listed;
  std::ranges::sort(dropped_);
  passed_.clear();
  std::size_t next = 0;
  for (const std::size_t at : dropped_) {
    passed_.insert(passed_.end(), listed.begin() + next, listed.begin() + at);
    next = at + 1;
  }
  passed_.insert(passed_.end(), listed.begin() + next, listed.end());
  return passed_;
}

// To its connection, and to where it begins.
void PolicyRounds::place(const PolicyBatch& batch, std::uint32_t in_batch, const PayloadSegment& s, std::size_t i) {
  Packet& packet = packets_[i];
  packet.first_piece = static_cast<std::uint32_t>(pieces_.size());
  const PacketPayload& payload = batch.payload[in_batch];
  packet.view.payload = {payload.data, payload.captured};
  const PolicyShard::Place found = packet.shard->take(batch, in_batch, s);
  packet.connection = found.connection;
  packet.is_done = !found.connection->needs_bytes && !watcher_;
  if (packet.is_done) {
    packet.view.from_server = found.from_server;
    packet.outcome.begin(*found.connection->verdict);
    return;
  }
  packet.view = {&batch.key[in_batch], &batch.segment[in_batch], packet.view.payload, payload.payload_length,
                 payload.vlan,         found.from_server};
  packet.view.nth = packet.connection->packets[found.from_server];
  packet.pieces = static_cast<std::uint32_t>(pieces_.size()) - packet.first_piece;
  packet.outcome.begin(kOutPlace);
  if (!packet.connection->verdict) move(packet, i, start_of(packet.view));
}

GroupPlace PolicyRounds::start_of(const PacketView& view) {
  policy_->init().find(view, candidates_.data());
  for (std::size_t word = 0; word < policy_->init().words(); ++word) {
    if (candidates_[word])
      return policy_->init_place(word * kRulesAWord + static_cast<std::size_t>(std::countr_zero(candidates_[word])));
  }
  return policy_->init_place(policy_->memory().init().size());
}

// A chain of groups that share a scan counts as all its rounds: who has begun it goes to its end, so that all its
// groups see the same bytes. The first group, or chain, is for everybody.
bool PolicyRounds::is_beyond_bound(const Outcome& outcome, GroupPlace to) const {
  const std::size_t chain = policy_->groups()[to].chain;
  return chain != 0 && !outcome.path.empty() && outcome.path.size() + chain > most_rounds_;
}

inline void PolicyRounds::move(Packet& packet, std::size_t i, GroupPlace to) {
  if (!is_end_place(to) && most_rounds_ != RoundsBound::kNone && is_beyond_bound(packet.outcome, to)) {
    packet.outcome.truncated = true;
    to = kOutPlace;
  }
  packet.outcome.at = to;
  if (!is_end_place(to)) waiting_[to].set(i);
}

void PolicyRounds::ended(std::unique_ptr<PolicyConnection> connection) {
  for (SettledFlow& flow : connection->latest) {
    if (flow.tcb) settled_.remove(flow);
    flow.tcb = nullptr;
  }
  endings_.push_back({count_, std::move(connection)});
}

void PolicyRounds::finish_endings(std::size_t before) {
  for (; ended_ < endings_.size() && endings_[ended_].before <= before; ++ended_) {
    if (notes_) notes_->end(*endings_[ended_].connection, is_over_ && !leave_);
  }
}

// What it takes is looked at only where that decides how many rounds there may be.
void PolicyRounds::run_groups() {
  using Clock = std::chrono::steady_clock;
  RoundsBound* const bound = options_.bound.get();
  const Clock::time_point began = bound ? Clock::now() : Clock::time_point();
  for (GroupPlace group = 0; group < waiting_.size(); ++group) {
    if (waiting_[group].any()) run_group(group);
  }
  if (!bound) return;
  RoundsBound::Work work{.ns = std::chrono::nanoseconds(Clock::now() - began).count()};
  for (const Packet& packet : std::span(packets_).first(count_)) {
    work.rounds += packet.outcome.path.size();
    work.packets += !packet.outcome.path.empty();
  }
  if (work.rounds != 0) bound->worked(work);
}

// One round of each. Most find nothing, which is no more than noted.
void PolicyRounds::run_group(GroupPlace place) {
  const CompiledGroup& group = policy_->groups()[place];
  const bool scans = policy_->units()[group.unit].stream != nullptr;
  std::bitset<kBatch>& waiting = waiting_[place];
  for (std::size_t i = waiting._Find_first(); i < kBatch; i = waiting._Find_next(i)) {
    if (scans && !finds_[group.unit].has_stream.test(i)) scan_stream(group.unit, i);
    if (!finds_nothing(group, i)) {
      step(place, i);
      continue;
    }
    packets_[i].outcome.path.push_back({place, false});
    move(packets_[i], i, group.mismatch);
  }
  waiting.reset();
}

void PolicyRounds::step(GroupPlace place, std::size_t i) {
  const CompiledGroup& group = policy_->groups()[place];
  Packet& packet = packets_[i];
  matched_.clear();
  match_rules(group, i);
  std::optional<GroupPlace> next;
  for (const std::uint32_t rule : matched_) {
    apply(group, rule, packet.outcome);
    if (!next) next = group.rules[rule].next;
  }
  packet.outcome.path.push_back({place, !matched_.empty()});
  move(packet, i, next ? *next : matched_.empty() ? group.mismatch : group.match);
}

void PolicyRounds::apply(const CompiledGroup& group, std::uint32_t number, Outcome& outcome) {
  const CompiledRule& rule = group.rules[number];
  outcome.add_labels(rule, most_labels_, policy_->asks_for_labels());
  for (const CompiledField& field : rule.fields) add_once(outcome.fields, field);
  outcome.final = outcome.final || rule.final;
  outcome.hits.push_back(group.first_hit + number);
}

// In the order of packets: an earlier one may have had the last word.
void PolicyRounds::settle(std::size_t i) {
  Packet& packet = packets_[i];
  PolicyConnection& c = *packet.connection;
  Outcome& outcome = packet.outcome;
  if (c.verdict) outcome.begin(*c.verdict);
  else if (outcome.final) {
    c.verdict = outcome.at;
    c.forget_groups();  // also what later packets of the batch have scanned
  }
  counters_.count(outcome);
  if (watcher_) watcher_->settled(packet.number, outcome);
  if (outcome.at != kDropPlace && notes_) {
    const std::size_t values = c.values.size();
    if (policy_->has_fields() && c.needs_bytes) take_fields(packet);
    notes_->packet(c, *packet.view.key, packet.number, outcome.labels, c.values.size() - values);
  }
  if (c.verdict && (outcome.at == kDropPlace || !notes_)) c.needs_bytes = false;  // nobody asks for fields
  if (!c.needs_bytes && c.tcb && !c.has_ended && !watcher_) {
    Reassembler::mute(*c.tcb);
    c.settle_flows(settled_, *packet.view.key, packet.view.from_server, packet.shard->hash_seed());
  }
  if (options_.memory != 0) packet.shard->settled(c, bytes_of(c));
}

// What settle() comes to where there is nothing to settle.
inline void PolicyRounds::go_on(const Packet& packet, const FlowKey& key, std::uint64_t hash) {
  PolicyConnection& c = *packet.connection;
  counters_.dropped += packet.outcome.at == kDropPlace;
  if (notes_ && packet.outcome.at != kDropPlace) notes_->went_on(c, key, packet.view.from_server, packet.number);
  if (c.tcb && !c.has_ended) c.settle_flow(settled_, packet.view.from_server, key, hash);
  if (options_.memory != 0 && !c.tcb) packet.shard->settled(c, bytes_of(c));
}

// Beside itself.
std::size_t PolicyRounds::bytes_of(const PolicyConnection& c) const {
  std::size_t bytes = c.flows.capacity() * sizeof(ConnectionFlow) + c.units.capacity() * sizeof(UnitState) +
                      c.hits.capacity() * sizeof c.hits[0] + c.heads[0].capacity() + c.heads[1].capacity();
  for (const UnitState& unit : c.units) {
    for (const ScannedText& text : unit.texts) {
      if (text.stream) bytes += stream_bytes(*policy_->units()[unit.unit].stream);
    }
  }
  return bytes;
}

PolicyCounters PolicyRounds::counters() const {
  PolicyCounters counters = counters_;
  for (const auto& shard : shards_) counters.forgotten += shard->forgotten();
  return counters;
}

void PolicyRounds::end() {
  is_over_ = true;
  for (const auto& shard : shards_) shard->end_all();
  finish_endings(std::numeric_limits<std::size_t>::max());
  endings_.clear();
  ended_ = 0;
}

}  // namespace warpmeter::inline policy
