#include "policy/rounds/policy_notes.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline policy {

using Kind = AnnotationReach::Kind;

namespace {

// Packets that went_on() has seen are those of their flows.
void take_latest(PolicyConnection& c) {
  for (const SettledFlow& latest : c.latest) {
    if (latest.flow != SettledFlow::kNone) c.flows[latest.flow].last = std::max(c.flows[latest.flow].last, latest.last);
  }
}

}  // namespace

void PolicyNotes::add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach) {
  sink_.add(key, annotation, reach, annotation.packet);
}

// From its first packet on, Flow Records of this key begin within the connection.
void PolicyNotes::mark(const PolicyConnection& c, ConnectionFlow& flow) {
  Annotation nothing;
  if (!flow.is_marked) add_from_beginning(c, flow, nothing);
}

// What all Flow Records of the flow have, whichever packet it names; where it is the first that is noted, together with
// the mark.
void PolicyNotes::add_from_beginning(const PolicyConnection& c, ConnectionFlow& flow, Annotation& annotation) {
  const Kind begins = c.joins ? Kind::join : Kind::begin;
  const Kind kind = std::exchange(flow.is_marked, true) ? Kind::connection : begins;
  annotation.packet = flow.first;
  add(flow.key, annotation, {kind, c.number});
}

// Values, from this one on, behind the labels that the annotation has.
Annotation PolicyNotes::with_values(Annotation annotation, const PolicyConnection& c, std::size_t from) {
  for (std::size_t i = from; i < c.values.size(); ++i) {
    const auto& [number, value] = c.values[i];
    const std::uint32_t column = kFirstFieldColumn + number;
    if (annotation.text.empty()) {
      annotation.column = column;
      annotation.text = value;
      continue;
    }
    if (annotation.column != Annotation::kSeveralColumns) {
      const Annotation before = std::exchange(annotation, {0, Annotation::kSeveralColumns, {}});
      Annotation::for_each_text(
          before.text, [&](std::string_view text) { Annotation::append(annotation.text, before.column, text); });
    }
    Annotation::append(annotation.text, column, value);
  }
  return annotation;
}

// What the connection has by then.
void PolicyNotes::begin_flow(const PolicyConnection& c, ConnectionFlow& flow) {
  if (c.labels.empty() && c.values.empty()) return;
  Annotation all = with_values({0, kLabelsColumn, joined(c.labels)}, c, 0);
  add_from_beginning(c, flow, all);
}

void PolicyNotes::packet(PolicyConnection& c, const FlowKey& key, std::uint64_t number,
                         const std::vector<BroughtLabel>& brought, std::size_t new_values) {
  const std::size_t before = c.flows.size();
  ConnectionFlow& flow = c.flow(key, number);
  flow.last = std::max(flow.last, number);
  if (new_values > 0) {
    Annotation values = with_values({}, c, c.values.size() - new_values);
    for (ConnectionFlow& known : std::span(c.flows).first(before)) add_from_beginning(c, known, values);
  }
  if (c.flows.size() > before) begin_flow(c, flow);
  if (brought.empty() && flow.streak.labels.empty()) return;
  if (goes_on(c, flow.streak, brought)) {
    flow.streak.last = number;
    return;
  }
  end_streak(flow);
  flow.streak.first = flow.streak.last = number;
  add_in_order(c, flow, number, brought);
  if (ends_streaks_ && !flow.streak.labels.empty()) streaks_.emplace_back(&c, key);
}

void PolicyNotes::note_latest(PolicyConnection& c, const FlowKey& key, SettledFlow& latest, std::uint64_t number) {
  take_latest(c);
  packet(c, key, number, {});
  const std::ptrdiff_t place = &c.flow(key, number) - c.flows.data();
  latest.key = key;
  latest.last = number;
  latest.flow = static_cast<std::uint32_t>(place);
}

// Labels of one scope that follow each other are noted together.
void PolicyNotes::add_in_order(PolicyConnection& c, ConnectionFlow& flow, std::uint64_t number,
                               const std::vector<BroughtLabel>& brought) {
  std::size_t in_streak = 0, in_connection = c.labels.size();  // that are noted
  const auto of_flow = [&] {
    const std::span<const LabelNumber> labels = std::span(flow.streak.labels).subspan(in_streak);
    if (!labels.empty()) add(flow.key, {number, kLabelsColumn, joined(labels)}, {});
    in_streak = flow.streak.labels.size();
  };
  const auto of_connection = [&] {
    const std::span<const LabelNumber> labels = std::span(c.labels).subspan(in_connection);
    if (!labels.empty()) add_to_all(c, labels, number);
    in_connection = c.labels.size();
  };
  for (const BroughtLabel& label : brought) {
    if (is_new(c, label)) {
      of_flow();
      take_new(c, label.label);
    } else if (label.scope == LabelScope::flow && flow.streak.labels.size() < most_) {
      of_connection();
      flow.streak.labels.push_back(label.label);
    }
  }
  of_flow();
  of_connection();
}

std::string PolicyNotes::joined(std::span<const LabelNumber> labels) const {
  std::string texts;
  for (const LabelNumber label : labels) (texts += texts.empty() ? "" : ",") += policy_->labels()[label];
  return texts;
}

bool PolicyNotes::is_new(const PolicyConnection& c, const BroughtLabel& label) const {
  return label.scope == LabelScope::connection && c.labels.size() < most_ && !c.has_label.has(label);
}

void PolicyNotes::take_new(PolicyConnection& c, LabelNumber label) const {
  c.labels.push_back(label);
  if (c.labels.size() < most_) c.has_label.add({label, LabelScope::connection});
  else c.has_label = {};  // none will be new
}

void PolicyNotes::add_to_all(PolicyConnection& c, std::span<const LabelNumber> labels, std::uint64_t number) {
  const Annotation texts{number, kLabelsColumn, joined(labels)};
  for (ConnectionFlow& flow : c.flows) {
    mark(c, flow);
    add(flow.key, texts, {Kind::connection, c.number});
  }
}

// A streak is noted at its first packet, for the Flow Record that is open then, and at its end for those that began
// within it, whose labels would be in another order if one of the packets had brought others.
bool PolicyNotes::goes_on(const PolicyConnection& c, const LabelStreak& streak,
                          const std::vector<BroughtLabel>& brought) const {
  if (streak.labels.empty()) return false;
  std::size_t same = 0;
  for (const BroughtLabel& label : brought) {
    if (is_new(c, label)) return false;
    if (label.scope == LabelScope::connection || same == most_) continue;
    if (same == streak.labels.size() || streak.labels[same] != label.label) return false;
    ++same;
  }
  return same == streak.labels.size();
}

void PolicyNotes::end_streak(ConnectionFlow& flow) {
  LabelStreak& streak = flow.streak;
  if (streak.last > streak.first && !streak.labels.empty()) {
    add(flow.key, {streak.first, kLabelsColumn, joined(streak.labels)}, {Kind::records, streak.last});
  }
  streak.labels.clear();
}

void PolicyNotes::end_streaks() {
  for (const auto& [connection, key] : streaks_) end_streak(connection->flow(key, 0));
  streaks_.clear();
}

// Where there are no more packets, no Flow Record begins behind the connection.
void PolicyNotes::end(PolicyConnection& c, bool is_end_of_trace) {
  take_latest(c);
  for (ConnectionFlow& flow : c.flows) {
    end_streak(flow);
    if (!flow.is_marked || is_end_of_trace) continue;
    add(flow.key, {flow.last + 1, kLabelsColumn, {}}, {c.is_pushed_out ? Kind::pushed_out : Kind::end, c.number});
  }
}

}  // namespace warpmeter::inline policy
