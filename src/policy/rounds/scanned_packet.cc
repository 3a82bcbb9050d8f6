// The part of PolicyRounds that looks at bytes: for patterns, in what a packet delivers and in its payload, once for
// each scan unit, and which rules hold by them; and for the values of fields. It has a file of its own because
// policy_rounds.cc, which leads packets from group to group, is long without it.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "policy/fields/field_kind.h"
#include "policy/rounds/policy_rounds.h"

namespace warpmeter::inline policy {

void PolicyRounds::delivered(const DeliveredPiece& piece) {
  if (!policy_->has_streams() && !policy_->has_fields()) return;
  pieces_.push_back(piece);
  // The packet's own bytes stay as long as the batch.
  const std::span<const std::uint8_t> own = packets_[count_].view.payload;
  if (piece.bytes.data() >= own.data() && piece.bytes.data() + piece.bytes.size() <= own.data() + own.size()) return;
  pieces_.back().bytes = copies_.emplace_back(piece.bytes.begin(), piece.bytes.end());
}

// All stream rules of the unit see all bytes, whether or not their other conditions hold.
void PolicyRounds::scan_stream(std::uint32_t number, std::size_t i) {
  const ScanUnit& unit = policy_->units()[number];
  UnitFinds& finds = finds_[number];
  const Packet& packet = packets_[i];
  finds.has_stream.set(i);
  const std::size_t words = rule_words(unit.rules);
  RuleWord* const bits = &finds.stream[i * words];
  std::fill_n(bits, words, 0);
  const auto found = [&](unsigned pattern, std::uint64_t) {
    set_rule(bits, unit.stream_rule[pattern]);
    finds.in_stream.set(i);
  };
  PatternSearch search(scratch_);
  for (const DeliveredPiece& piece : std::span(pieces_).subspan(packet.first_piece, packet.pieces)) {
    if (!is_tcp(*packet.view.segment)) {
      if (!finds.of_datagram) finds.of_datagram.emplace(*unit.stream, TextStart::stream);
      else finds.of_datagram->restart(*unit.stream, TextStart::stream);
      search.stream(*finds.of_datagram, piece.bytes, found);
      continue;
    }
    ScannedText& text = packet.connection->unit(number).texts[piece.from_server];
    const TextStart start = piece.offset == 0 ? TextStart::stream : TextStart::inside;
    if (!text.stream) text.stream.emplace(*unit.stream, start);
    else if (text.next != piece.offset) text.stream->restart(*unit.stream, start);
    search.stream(*text.stream, piece.bytes, found);
    text.next = piece.offset + piece.bytes.size();
  }
}

const RuleWord* PolicyRounds::payload_finds(std::uint32_t number, std::size_t i) {
  const ScanUnit& unit = policy_->units()[number];
  UnitFinds& finds = finds_[number];
  const std::size_t words = rule_words(unit.rules);
  RuleWord* const bits = &finds.payload[i * words];
  if (finds.has_payload.test(i)) return bits;
  finds.has_payload.set(i);
  std::fill_n(bits, words, 0);
  PatternSearch(scratch_).block(*unit.payload, packets_[i].view.payload, [&](unsigned pattern, std::uint64_t) {
    set_rule(bits, unit.payload_rule[pattern]);
    finds.in_payload.set(i);
    return true;
  });
  return bits;
}

// The candidates of a word whose patterns were found as well. A payload is scanned only where one asks for it.
RuleWord PolicyRounds::with_patterns(const CompiledGroup& group, std::size_t word, std::size_t i) {
  const std::size_t in_unit = group.first_rule / kRulesAWord + word;
  RuleWord left = candidates_[word];
  if (left & ~group.without_stream[word]) {
    const std::size_t words = rule_words(policy_->units()[group.unit].rules);
    left &= group.without_stream[word] | finds_[group.unit].stream[i * words + in_unit];
  }
  if (left & ~group.without_payload[word]) left &= group.without_payload[word] | payload_finds(group.unit, i)[in_unit];
  return left;
}

void PolicyRounds::match_rules(const CompiledGroup& group, std::size_t i) {
  group.headers.find(packets_[i].view, candidates_.data());
  for (std::size_t word = 0; word < group.headers.words(); ++word) {
    for (RuleWord left = with_patterns(group, word, i); left != 0; left &= left - 1) {
      const auto rule =
          static_cast<std::uint32_t>(word * kRulesAWord + static_cast<std::size_t>(std::countr_zero(left)));
      if (!holds(group, rule, i)) continue;
      matched_.push_back(rule);
      if (!group.all) return;
    }
  }
}

// All but its header conditions and its patterns, which do.
bool PolicyRounds::holds(const CompiledGroup& group, std::uint32_t number, std::size_t i) {
  const CompiledRule& rule = group.rules[number];
  const Outcome& outcome = packets_[i].outcome;
  const auto is_set = [&](LabelNumber label) { return outcome.has_label.has_any_scope(label); };
  if (!std::ranges::all_of(rule.labels_all, is_set) || std::ranges::any_of(rule.labels_none, is_set)) return false;
  return rule.counter == kNoCounter || ++packets_[i].connection->hits_of(rule.counter) >= rule.after;
}

// What rules asked for is looked for at this packet, and, as long as it is not there, at every later one that may bring
// it. A direction's first bytes are copied only where later packets may need them: most say all with their first one.
void PolicyRounds::take_fields(Packet& packet) {
  PolicyConnection& c = *packet.connection;
  const std::vector<CompiledField>& asked = packet.outcome.fields;
  if (packet.pieces == 0 && asked.empty()) return;  // as an acknowledgement
  const std::size_t wanted_before = c.wanted.size();
  if (c.wanted.empty()) {
    c.wanted = asked;
    c.values.reserve(asked.size());
  } else {
    for (const CompiledField& field : asked) add_once(c.wanted, field);
  }
  if (c.verdict && !c.wants_a_value()) return want_nothing(c);
  HeadsOfPacket heads = heads_with(packet);
  for (std::size_t i = 0; i < c.wanted.size(); ++i) {
    const CompiledField& field = c.wanted[i];
    const bool may_be_there = i >= wanted_before || (waits_for_line(field.kind) ? heads.has_line() : heads.any);
    if (!may_be_there || c.has_value(field.column)) continue;
    for (const auto& head : heads.of) {
      const std::string value = field_value(field.kind, head);
      if (value.empty()) continue;
      c.values.emplace_back(field.column, printable_field(value));
      break;
    }
  }
  if (c.verdict && !c.wants_a_value()) return want_nothing(c);
  for (const int side : {0, 1}) {
    if (heads.is_in_packet[side]) c.heads[side].assign(heads.of[side].begin(), heads.of[side].end());
  }
}

// Nothing will be asked for any more.
void PolicyRounds::want_nothing(PolicyConnection& c) {
  for (auto& head : c.heads) std::vector<std::uint8_t>().swap(head);
  c.needs_bytes = false;
}

PolicyRounds::HeadsOfPacket PolicyRounds::heads_with(const Packet& packet) {
  HeadsOfPacket heads;
  const bool is_stream = is_tcp(*packet.view.segment);
  for (const int side : {0, 1}) heads.of[side] = packet.connection->heads[side];
  for (const DeliveredPiece& piece : std::span(pieces_).subspan(packet.first_piece, packet.pieces)) {
    std::vector<std::uint8_t>& head = packet.connection->heads[piece.from_server];
    std::span<const std::uint8_t>& whole = heads.of[piece.from_server];
    if (is_stream && piece.offset != whole.size()) continue;
    const auto taken = piece.bytes.first(std::min(piece.bytes.size(), kFieldHead - (is_stream ? whole.size() : 0)));
    bool& is_in_packet = heads.is_in_packet[piece.from_server];
    if (whole.empty() || !is_stream) {
      is_in_packet = true;
      whole = taken;
    } else {
      if (std::exchange(is_in_packet, false)) head.assign(whole.begin(), whole.end());
      head.insert(head.end(), taken.begin(), taken.end());
      whole = head;
    }
    heads.any = heads.any || !taken.empty() || !is_stream;
    heads.added[piece.from_server] += taken.size();
  }
  return heads;
}

bool PolicyRounds::HeadsOfPacket::has_line() const {
  for (const int side : {0, 1}) {
    const auto taken = of[side].last(added[side]);
    if (!taken.empty() && std::memchr(taken.data(), '\n', taken.size())) return true;
  }
  return false;
}

}  // namespace warpmeter::inline policy
