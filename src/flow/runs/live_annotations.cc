#include "flow/runs/live_annotations.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "flow/runs/annotation_parts.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kFewKept = 16;  // before doubles are looked for

// What the Flow Record has that is built, by packet.
template <class Kept>
auto in_order(std::vector<Kept>& kept) {
  std::vector<Kept*> order;
  for (Kept& one : kept) {
    if (one.of_record) order.push_back(&one);
  }
  std::ranges::stable_sort(order, {}, [](const Kept* one) { return one->annotation.packet; });
  return order;
}

}  // namespace

void LiveAnnotations::add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach,
                          std::uint64_t arrival) {
  Flow& flow = flows_[key];
  if (flow.noted.empty()) noted_.push_back(key);
  AnnotationReach of_texts = reach;
  if (reach.kind == AnnotationReach::Kind::begin || reach.kind == AnnotationReach::Kind::join) {
    flow.noted.push_back({{annotation.packet, annotation.column, {}}, reach, arrival});
    if (annotation.text.empty()) return;
    of_texts.kind = AnnotationReach::Kind::connection;
  }
  Annotation::for_each_text(annotation.column, annotation.text, [&](std::uint32_t column, std::string_view text) {
    flow.noted.push_back({{annotation.packet, column, std::string(text)}, of_texts, arrival});
  });
}

// What reaches it from before.
void LiveAnnotations::begin_record(Flow& flow, std::uint64_t arrival) {
  flow.record = arrival;
  flow.connection_of_record = flow.open;
  std::erase_if(flow.kept, [&](const Kept& one) { return !one.of_connection && one.until < arrival; });
  for (Kept& one : flow.kept) {
    one.of_record = one.from_before = true;
    if (!one.of_connection) one.annotation.packet = arrival;
  }
  flow.once = 0;
}

// The Flow Record begins with a packet behind the connection that was open, or with the first of one: it has nothing of
// what was before.
void LiveAnnotations::begin_anew(Flow& flow) {
  flow.connection_of_record = flow.open;
  for (Kept& one : flow.kept) {
    if (std::exchange(one.from_before, false)) one.of_record = false;
  }
}

void LiveAnnotations::change_connection(Flow& flow, const AnnotationReach& reach, std::uint64_t arrival) {
  using Kind = AnnotationReach::Kind;
  const bool begins = reach.kind == Kind::begin || reach.kind == Kind::join;
  if (!begins && reach.number != flow.open) return;
  const bool is_of_record = flow.connection_of_record == 0 || flow.connection_of_record == flow.pushed_out;
  if (reach.kind == Kind::join && is_of_record) flow.connection_of_record = reach.number;
  flow.pushed_out = reach.kind == Kind::pushed_out ? flow.open : 0;
  flow.open = begins ? reach.number : 0;
  for (Kept& one : flow.kept) one.of_connection = false;
  if (flow.record == arrival) begin_anew(flow);
  else if (flow.record > arrival) flow.connection_of_record = flow.open;  // noted late
}

void LiveAnnotations::take(Flow& flow, Noted& noted) const {
  using Kind = AnnotationReach::Kind;
  Kept kept{std::move(noted.annotation)};
  switch (noted.reach.kind) {
    case Kind::record: kept.of_record = flow.record.has_value(); break;
    case Kind::records:
      kept.of_record = flow.record.has_value();
      kept.until = noted.reach.number;
      break;
    case Kind::connection:
      kept.of_connection = noted.reach.number == flow.open;
      kept.of_record = flow.record && noted.reach.number == flow.connection_of_record;
      break;
    case Kind::begin:
    case Kind::join:
    case Kind::end:
    case Kind::pushed_out: return change_connection(flow, noted.reach, noted.arrival);
  }
  if (!kept.of_record && !kept.of_connection && kept.until == 0) return;
  flow.kept.push_back(std::move(kept));
  if (flow.kept.size() <= 2 * flow.once + kFewKept) return;
  keep_once(flow);
  keep_first(flow);
  flow.once = flow.kept.size();
}

// A label of scope flow is noted with every packet that brings it.
void LiveAnnotations::keep_once(Flow& flow) {
  std::vector<Kept>& kept = flow.kept;
  const auto what = [&kept](std::size_t i) {
    const Kept& one = kept[i];
    return std::tie(one.annotation.column, one.annotation.text, one.of_record, one.from_before, one.of_connection,
                    one.until);
  };
  std::vector<std::size_t> order(kept.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return what(a) < what(b); });
  std::vector<bool> is_double(kept.size());
  for (std::size_t i = 1, first = order[0]; i < order.size(); ++i) {
    if (what(order[i]) != what(first)) {
      first = order[i];
      continue;
    }
    is_double[order[i]] = true;
  }
  std::size_t i = 0;
  std::erase_if(kept, [&](const Kept&) { return is_double[i++]; });
}

// Those of which its Flow Record has enough before. What it has from its beginning on may yet be taken from it, and
// leaves the others no less room.
void LiveAnnotations::keep_first(Flow& flow) const {
  FirstTexts from_before(most_), others(most_);
  for (Kept* const one : in_order(flow.kept)) {
    FirstTexts& first = one->from_before ? from_before : others;
    if (!first.take(one->annotation.column, one->annotation.text)) one->of_record = one->from_before = false;
  }
  std::erase_if(flow.kept, [](const Kept& one) { return !one.of_record && !one.of_connection && one.until == 0; });
}

// What was noted of packets before this one.
void LiveAnnotations::take_before(Flow& flow, std::size_t& next, std::uint64_t arrival) const {
  for (; next < flow.noted.size() && flow.noted[next].arrival < arrival; ++next) take(flow, flow.noted[next]);
}

// As Join does, but that it goes on where it was.
void LiveAnnotations::go_on(const FlowKey& key, Flow& flow, PartialChunk& to) {
  const std::vector<std::uint64_t> ended = std::exchange(flow.ended, {});
  std::ranges::stable_sort(flow.noted, {}, &Noted::arrival);
  std::size_t next = 0;
  const auto begins = [&](std::uint64_t arrival) {
    if (flow.record == arrival) return;
    take_before(flow, next, arrival);
    begin_record(flow, arrival);
  };
  const std::optional<std::uint64_t> living = find_live_(key);
  for (std::size_t i = 0; i < ended.size(); ++i) {
    begins(ended[i]);
    const std::uint64_t behind = i + 1 < ended.size() ? ended[i + 1]
                                 : living             ? *living
                                                      : std::numeric_limits<std::uint64_t>::max();
    take_before(flow, next, behind);
    give(key, flow, to);
    flow.record.reset();
    for (Kept& one : flow.kept) one.of_record = one.from_before = false;
  }
  if (living) begins(*living);
  take_before(flow, next, std::numeric_limits<std::uint64_t>::max());
  std::vector<Noted>().swap(flow.noted);
  for (Kept& one : flow.kept) one.until = 0;
  std::erase_if(flow.kept, [](const Kept& one) { return !one.of_record && !one.of_connection; });
  if (!flow.record && flow.open == 0) flows_.erase(key);
}

void LiveAnnotations::give(const FlowKey& key, Flow& flow, PartialChunk& to) {
  FirstTexts first(most_);
  for (const Kept* const one : in_order(flow.kept)) {
    if (!first.take(one->annotation.column, one->annotation.text)) continue;
    append_parts(to, key, one->annotation, {}, *flow.record, sequence_);
  }
}

void LiveAnnotations::settle(PartialChunk& ended) {
  if (flows_.empty()) return;
  std::vector<FlowKey> keys;
  for (const Partial& partial : ended) {
    if (is_annotation(partial)) continue;  // the annex of the one before
    const auto flow = flows_.find(partial.key);
    if (flow == flows_.end()) continue;
    if (flow->second.ended.empty()) keys.push_back(partial.key);
    flow->second.ended.push_back(partial.arrival);
  }
  for (const FlowKey& key : keys) go_on(key, flows_.at(key), ended);
}

void LiveAnnotations::put_away() {
  PartialChunk none;
  for (const FlowKey& key : noted_) {
    const auto flow = flows_.find(key);
    if (flow != flows_.end() && !flow->second.noted.empty()) go_on(key, flow->second, none);
  }
  noted_.clear();
}

PartialChunk LiveAnnotations::of_living() {
  PartialChunk parts;
  for (auto& [key, flow] : flows_) {
    if (flow.record && find_live_(key) == flow.record) give(key, flow, parts);
  }
  return parts;
}

}  // namespace warpmeter::inline flow
