// Packets to connections, through their rounds, and what comes of that to Flow Records.
#include "policy_oracle.h"

#include <algorithm>
#include <sstream>

#include "csv.h"
#include "field_oracle.h"

namespace reference {
namespace {

template <class T>
bool has(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class T>
void add_once(std::vector<T>& to, const T& value) {
  if (!has(to, value)) to.push_back(value);
}

bool is_in(const std::vector<NumberRange>& ranges, int64_t number) {
  const auto holds = [&](const NumberRange& range) { return range.low <= number && number <= range.high; };
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), holds);
}

bool is_in(const std::vector<PrefixDraft>& prefixes, int version, const Address& address) {
  const auto holds = [&](const PrefixDraft& prefix) {
    if (prefix.version != version) return false;
    for (int bit = 0; bit < prefix.length; ++bit) {
      const auto place = static_cast<size_t>(bit / 8);
      if ((prefix.address[place] ^ address[place]) >> (7 - bit % 8) & 1) return false;
    }
    return true;
  };
  return prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(), holds);
}

int bits_of(const std::string& letters) {
  int bits = 0;
  for (const char letter : letters) bits |= 1 << std::string("FSRPAUEC").find(letter);
  return bits;
}

StreamOptions stream_options(const PolicyBounds& bounds) {
  StreamOptions options;
  options.block_size = 1;
  options.timeout = bounds.timeout;
  return options;
}

}  // namespace

PolicyOracle::PolicyOracle(const PolicyDraft& policy, const Options& options, const PolicyBounds& bounds)
    : policy_(policy),
      columns_(columns_of(policy)),
      options_(options),
      bounds_(bounds),
      streams_(stream_options(bounds)),
      meter_(options) {
  begin_policy();
}

void PolicyOracle::take(const PolicyPacket& packet, int64_t number, int64_t time) {
  std::vector<Piece> delivered;
  Connection& connection = connection_of(packet, time, delivered);
  const Endpoint source{packet.packet.key.source, packet.packet.key.source_port};
  const Endpoint destination{packet.packet.key.destination, packet.packet.key.destination_port};
  const Side side = source == connection.ends[client] && destination == connection.ends[server] ? client : server;
  if (!packet.segment && !packet.payload.empty())
    delivered.push_back({side, 0, {packet.payload.begin(), packet.payload.end()}});
  const View view{packet, connection, side, ++connection.packets[side], delivered};
  Outcome outcome;
  if (connection.verdict) outcome.at = *connection.verdict;
  else outcome = rounds(view);
  if (outcome.final) connection.verdict = outcome.at;
  result_.rounds += static_cast<int64_t>(outcome.path.size());
  result_.truncated += outcome.truncated;
  for (const auto& [group, matched] : outcome.path)
    ++(matched ? result_.groups[group].matches : result_.groups[group].mismatches);
  for (const auto& [group, rule] : outcome.hits) ++result_.groups[group].hits[rule];
  if (outcome.at == to_drop) {
    ++result_.dropped;
    return;
  }
  ++result_.metered;
  meter(view, outcome, number, time);
}

// That of the segment's stream; of all else, that of the 5-tuple up to a silence.
PolicyOracle::Connection& PolicyOracle::connection_of(const PolicyPacket& packet, int64_t time,
                                                      std::vector<Piece>& delivered) {
  const FlowKey& key = packet.packet.key;
  std::array<Endpoint, 2> ends{Endpoint{key.source, key.source_port}, Endpoint{key.destination, key.destination_port}};
  const auto [low, high] = std::minmax(ends[0], ends[1]);
  Connection*& place = current_[Key(key.version, key.protocol, low, high)];
  std::optional<std::pair<int64_t, int64_t>> stream;
  if (packet.segment) stream = take_segment(*packet.segment, ends, delivered);
  const bool is_silent = place && !stream && bounds_.timeout != 0 && time - place->latest > bounds_.timeout;
  if (!place || place->stream != stream || is_silent) {
    place = &connections_.emplace_back();
    place->ends = ends;
    place->stream = stream;
    place->latest = time;
  }
  place->latest = std::max(place->latest, time);
  return *place;
}

// Which stream it belongs to, if any; its ends, and what it delivers: its blocks of one byte and more.
std::optional<std::pair<int64_t, int64_t>> PolicyOracle::take_segment(const OracleSegment& segment,
                                                                      std::array<Endpoint, 2>& ends,
                                                                      std::vector<Piece>& delivered) {
  const auto which = [](const StreamConnection& stream) {
    return std::pair(stream.opened_packet, stream.opened_in_frame);
  };
  std::optional<std::pair<int64_t, int64_t>> before;
  size_t blocks = 0;
  if (const StreamConnection* const stream = streams_.open(segment)) {
    before = which(*stream);
    blocks = stream->blocks.size();
  }
  streams_.take(segment);
  const StreamConnection* const stream = streams_.open(segment);
  if (!stream) return {};
  if (which(*stream) != before) blocks = 0;
  for (size_t i = blocks; i < stream->blocks.size(); ++i)
    for (const StreamPart& part : stream->blocks[i].parts) delivered.push_back({part.side, part.offset, part.bytes});
  ends = stream->ends;
  return which(*stream);
}

bool PolicyOracle::holds(const ConditionsDraft& c, const View& view) {
  const Packet& packet = view.packet.packet;
  const FlowKey& key = packet.key;
  if (c.version && key.version != *c.version) return false;
  if (!c.protocols.empty() && !has<int>(c.protocols, key.protocol)) return false;
  if (!is_in(c.sources, key.version, key.source) || !is_in(c.destinations, key.version, key.destination)) return false;
  if (!is_in(c.source_ports, key.source_port) || !is_in(c.destination_ports, key.destination_port)) return false;
  if (!is_in(c.ports, key.source_port) && !is_in(c.ports, key.destination_port)) return false;
  if (!is_in(c.vlans, view.packet.vlan) || !is_in(c.lengths, packet.length)) return false;
  if (!is_in(c.payload_lengths, view.packet.payload_length) || !is_in(c.nth, view.nth)) return false;
  if (!c.flags.empty() || !c.not_flags.empty()) {
    if (!view.packet.segment) return false;
    const int flags = view.packet.segment->flags, all = bits_of(c.flags);
    if ((flags & all) != all || (flags & bits_of(c.not_flags)) != 0) return false;
  }
  return !c.way || *c.way == view.side;
}

// Rules of which a pattern of streams ends within what the packet delivers. All of the group see all of it.
std::set<size_t> PolicyOracle::scan(const GroupDraft& group, const View& view) {
  std::set<size_t> ended;
  GroupState& state = view.connection.groups[group.id];
  for (const Piece& piece : view.delivered) {
    std::optional<Scanned>& text = state.texts[piece.side];
    const bool goes_on =
        view.packet.segment && text && text->begin + static_cast<int64_t>(text->bytes.size()) == piece.offset;
    if (!goes_on) text = Scanned{piece.offset, {}};
    const size_t before = text->bytes.size();
    text->bytes.insert(text->bytes.end(), piece.bytes.begin(), piece.bytes.end());
    for (size_t i = 0; i < group.rules.size(); ++i)
      for (const PatternOracle& pattern : patterns_.at({group.id, i}).stream)
        if (pattern.ends_within(text->bytes, before, text->begin == 0)) ended.insert(i);
  }
  return ended;
}

bool PolicyOracle::holds(const GroupDraft& group, size_t number, const View& view, const Outcome& outcome,
                         const std::set<size_t>& ended) {
  const RuleDraft& rule = group.rules[number];
  if (!holds(rule.conditions, view)) return false;
  const auto is_set = [&](const std::string& label) {
    return has(outcome.labels, Label{label, true}) || has(outcome.labels, Label{label, false});
  };
  if (!std::all_of(rule.label_is.begin(), rule.label_is.end(), is_set)) return false;
  if (std::any_of(rule.label_is_not.begin(), rule.label_is_not.end(), is_set)) return false;
  const std::vector<PatternOracle>& payload = patterns_.at({group.id, number}).payload;
  const auto found = [&](const PatternOracle& pattern) { return pattern.ends_within(view.packet.payload, 0, true); };
  if (!payload.empty() && std::none_of(payload.begin(), payload.end(), found)) return false;
  if (!rule.stream.empty() && !ended.contains(number)) return false;
  GroupState& state = view.connection.groups[group.id];
  state.hits.resize(group.rules.size());
  return ++state.hits[number] >= rule.after;
}

// One round.
void PolicyOracle::step(const View& view, Outcome& outcome) {
  const GroupDraft& group = *groups_.at(outcome.at);
  const std::set<size_t> ended = scan(group, view);
  std::vector<size_t> matched;
  for (size_t i = 0; i < group.rules.size() && (group.all || matched.empty()); ++i)
    if (holds(group, i, view, outcome, ended)) matched.push_back(i);
  std::optional<int> next;
  for (const size_t number : matched) {
    const RuleDraft& rule = group.rules[number];
    for (const std::string& label : rule.labels) add_once(outcome.labels, Label{label, rule.of_flow});
    for (const Field& field : rule.fields) add_once(outcome.fields, field);
    outcome.final = outcome.final || rule.final;
    outcome.hits.emplace_back(group.id, number);
    if (!next) next = rule.next;
  }
  outcome.path.emplace_back(group.id, !matched.empty());
  outcome.at = next ? *next : matched.empty() ? group.mismatch : group.match;
}

PolicyOracle::Outcome PolicyOracle::rounds(const View& view) {
  Outcome outcome;
  outcome.at = policy_.init_default;
  for (const InitDraft& rule : policy_.init) {
    if (!holds(rule.conditions, view)) continue;
    outcome.at = rule.to;
    break;
  }
  while (!is_end(outcome.at)) {
    if (bounds_.most_rounds != 0 && static_cast<int64_t>(outcome.path.size()) == bounds_.most_rounds) {
      outcome.truncated = true;
      outcome.at = to_out;
      break;
    }
    step(view, outcome);
  }
  return outcome;
}

void PolicyOracle::add_label(int64_t record, const std::string& label) { add_once(records_.at(record).labels, label); }

void PolicyOracle::meter(const View& view, const Outcome& outcome, int64_t number, int64_t time) {
  Connection& connection = view.connection;
  const FlowKey& key = view.packet.packet.key;
  const int64_t record = meter_.take(view.packet.packet, number, time);
  open_records_[key] = record;
  if (!records_.contains(record)) {
    records_[record] = {key, {}, &connection};
    connection.records.push_back(record);
    for (const Label& label : connection.labels)
      if (!label.of_flow) add_label(record, label.text);
  }
  for (const Label& label : outcome.labels) {
    add_once(connection.labels, label);
    if (label.of_flow) add_label(record, label.text);
    else
      for (const int64_t other : connection.records)
        if (open_records_.at(records_.at(other).key) == other) add_label(other, label.text);
  }
  take_fields(view, outcome);
}

// What was asked for is looked for at this packet, and, until it is there, at every later one.
void PolicyOracle::take_fields(const View& view, const Outcome& outcome) {
  Connection& connection = view.connection;
  for (const Field& field : outcome.fields) add_once(connection.wanted, field);
  for (const Piece& piece : view.delivered) {
    std::vector<uint8_t>& head = connection.heads[piece.side];
    if (!view.packet.segment) head.clear();
    if (piece.offset != static_cast<int64_t>(head.size())) continue;
    head.insert(head.end(), piece.bytes.begin(), piece.bytes.end());
    head.resize(std::min(head.size(), longest_head));
  }
  for (const auto& [column, kind] : connection.wanted)
    for (const std::vector<uint8_t>& head : connection.heads)
      if (const auto value = field_of(kind, head); value && !connection.values.contains(column))
        connection.values[column] = *value;
}

std::string PolicyOracle::with_columns(const std::string& csv, const std::vector<Flow>& flows) const {
  std::istringstream lines(csv);
  std::string line, out;
  std::getline(lines, line);
  out = line + ",labels";
  for (const std::string& column : columns_) out += "," + column;
  out += "\n";
  for (const Flow& flow : flows) {
    std::getline(lines, line);
    const Record& record = records_.at(flow.serial);
    std::string labels;
    for (const std::string& label : record.labels) labels += (labels.empty() ? "" : ";") + label;
    out += line + "," + labels;
    for (const std::string& column : columns_) {
      const auto value = record.connection->values.find(column);
      out += "," + (value == record.connection->values.end() ? "" : value->second);
    }
    out += "\n";
  }
  return out;
}

PolicyExtraction PolicyOracle::finish() {
  const std::vector<Flow> flows = meter_.finish();
  result_.csv = with_columns(csv(flows, options_), flows);
  return std::move(result_);
}

PolicyExtraction extract_with(const PolicyDraft& policy, std::span<const std::vector<uint8_t>> captures,
                              const Options& options, const PolicyBounds& bounds,
                              std::span<const LaterPolicy> changes) {
  PolicyOracle oracle(policy, options, bounds);
  int64_t number = 0;
  std::vector<PolicyExtraction> before_changes;
  const auto make_changes = [&] {
    for (; !changes.empty() && changes.front().behind <= number; changes = changes.subspan(1)) {
      before_changes.push_back(oracle.counts());
      oracle.change_to(changes.front().policy);
    }
  };
  for (const auto& file : captures) {
    const Capture capture = read_capture(file);
    for (const Frame& frame : capture.frames) {
      make_changes();
      ++number;
      for (const PolicyPacket& packet : policy_packets_of(frame, options, number))
        oracle.take(packet, number, frame.time);
    }
  }
  make_changes();
  PolicyExtraction result = oracle.finish();
  result.before_changes = std::move(before_changes);
  return result;
}

}  // namespace reference
