// Two hosts that talk, packet by packet, through the rounds of a policy, and what each packet met as a line of text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/byte_order.h"
#include "policy/memory/policy_memory.h"
#include "policy/rounds/policy_rounds.h"

namespace warpmeter::test {

inline constexpr std::int64_t kPolicySecond = 1'000'000'000;

struct TalkedPacket {
  std::uint16_t from = 1000, to = 80;  // ports: the host of a port below 1024 is the server
  std::string text = {};
  std::uint32_t sequence = 0, acknowledged = 0;
  std::uint8_t flags = kAck;
  std::uint8_t protocol = kProtocolTcp;
  bool has_header = true;  // of TCP
  std::uint32_t cut = 0;   // bytes of the text, at its end, that were not captured
  std::uint16_t vlan = 0;
  std::int64_t time_ns = 0;
};

inline TalkedPacket udp(const std::string& text) { return {.text = text, .protocol = 17}; }
inline TalkedPacket back(TalkedPacket packet) {  // from the other end
  std::swap(packet.from, packet.to);
  return packet;
}

inline FlowKey talked_key(std::uint16_t from, std::uint16_t to, std::uint8_t protocol = kProtocolTcp) {
  FlowKey key;
  key.version = 4;
  key.protocol = protocol;
  key.source[0] = key.destination[0] = 10;
  key.source[3] = from < 1024 ? 2 : 1;
  key.destination[3] = to < 1024 ? 2 : 1;
  set_port_number(key.source_port, from);
  set_port_number(key.destination_port, to);
  return key;
}

// Packets of shard 0, numbered from 1 on. Their bytes stay as long as this, unless they are let go.
class TalkedBatch {
 public:
  static constexpr std::uint32_t kMost = 1024;

  const PolicyBatch& fill(const std::vector<TalkedPacket>& packets) {
    batch_.reset(next_);
    for (const TalkedPacket& packet : packets) add(packet);
    batch_.frames = batch_.count;
    next_ += batch_.count;
    batch_.list_by_shard();
    return batch_;
  }
  // As if the frames of all packets so far had gone.
  void let_go() {
    for (std::string& text : texts_) std::ranges::fill(text, '#');
  }

 private:
  void add(const TalkedPacket& packet) {
    const auto length = static_cast<std::uint32_t>(packet.text.size());
    const std::uint32_t at = batch_.count;
    FlowKey key = talked_key(packet.from, packet.to, packet.protocol);
    store_be16(key.vlan, packet.vlan);
    Segment segment;
    segment.time_ns = packet.time_ns;
    segment.frame = at;
    segment.length = 40 + length;
    segment.kind = kHasIdentity;
    if (packet.protocol == kProtocolTcp && packet.has_header) {
      segment.kind |= kTcpSegment;
      segment.sequence = packet.sequence;
      segment.identity_a = std::uint64_t{packet.acknowledged} << 32;
      segment.flags = packet.flags;
      segment.payload_length = length;
    }
    batch_.push(key, {0, 0}, segment);
    const std::string& text = texts_.emplace_back(packet.text);
    batch_.payload[at] = {reinterpret_cast<const std::uint8_t*>(text.data()), length - packet.cut, length, packet.vlan,
                          0};
  }

  PolicyBatch batch_{kMost};
  std::uint64_t next_ = 1;
  std::deque<std::string> texts_;
};

class PolicyTalk : private OutcomeWatcher, private AnnotationSink {
 public:
  explicit PolicyTalk(const std::string& policy, bool fuse = true, RoundsOptions options = {}) {
    options.running = running_ = std::make_shared<RunningPolicy>(PolicyMemory::load(policy), fuse);
    options.policy = policy_ = running_->current();
    AnnotationSink& notes = *this;
    OutcomeWatcher& watcher = *this;
    rounds_ = std::make_unique<PolicyRounds>(options, seed_, 0, 1, *std::pmr::new_delete_resource(), &notes, &watcher);
  }

  // One batch. What each packet met, a line each: "1+ 2- OUT web;evil".
  std::string say(const std::vector<TalkedPacket>& packets) {
    log_.clear();
    const PolicyBatch& batch = batch_.fill(packets);
    passed_ = rounds_->take(batch, batch.of_shards(0, 1)).size();
    batch_.let_go();
    return log_;
  }
  // The same, each packet a batch of its own.
  std::string say_one_by_one(const std::vector<TalkedPacket>& packets) {
    std::string all;
    for (const TalkedPacket& packet : packets) all += say({packet});
    return all;
  }

  // From the next batch on.
  void replace(const std::string& policy) {
    running_->replace(PolicyMemory::load(policy));
    policy_ = running_->current();
  }

  std::size_t passed() const { return passed_; }  // of the batch
  // Values of fields that were noted so far, in their order, as "80>1000 host=x".
  const std::vector<std::string>& values() const { return values_; }
  PolicyCounters counters() const { return rounds_->counters(); }
  const CompiledPolicy& policy() const { return *policy_; }

 private:
  void settled(std::uint64_t, const Outcome& outcome) override {
    for (const Round& round : outcome.path) {
      log_ += std::to_string(policy_->groups()[round.group].id) + (round.matched ? "+ " : "- ");
    }
    log_ += outcome.at == kOutPlace ? "OUT" : "DROP";
    const char* between = " ";
    for (const BroughtLabel& label : outcome.labels) {
      log_ += between + policy_->labels()[label.label];
      between = ";";
    }
    log_ += outcome.truncated ? " truncated\n" : "\n";
  }
  void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach&, std::uint64_t) override {
    if (annotation.column < kFirstFieldColumn) return;
    values_.push_back(std::to_string(port_number(key.source_port)) + '>' +
                      std::to_string(port_number(key.destination_port)) + ' ' +
                      policy_->columns()[annotation.column - kFirstFieldColumn] + '=' + annotation.text);
  }

  const HashSeed seed_{};
  std::shared_ptr<RunningPolicy> running_;
  std::shared_ptr<const CompiledPolicy> policy_;
  TalkedBatch batch_;
  std::unique_ptr<PolicyRounds> rounds_;
  std::size_t passed_ = 0;
  std::string log_;
  std::vector<std::string> values_;
};

// A group of that id with one rule, which leads to `next`, whether it matches or not.
inline std::string one_group(int id, const std::string& rule, const std::string& next = "\"OUT\"") {
  const std::string number = std::to_string(id);
  return "[[group]]\nid = " + number + "\nmatch = " + next + "\nmismatch = " + next + "\nrule = [{ " + rule + " }]\n";
}

}  // namespace warpmeter::test
