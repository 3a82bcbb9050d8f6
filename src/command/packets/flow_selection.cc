#include "command/packets/flow_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/words/human_units.h"
#include "core/biflow_key.h"
#include "core/flow_hash.h"
#include "warpmeter/status.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline command {
namespace {

constexpr std::size_t kFewestSlots = 1'024;

}  // namespace

// The place of the key, or the free one where it would stand.
std::size_t FlowSelection::slot_of(const FlowKey& key, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0 && (keys_[slots_[slot] - 1].hash != hash || keys_[slots_[slot] - 1].key != key)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

// At most half of the slots are taken, so that a look for what is not there ends soon.
void FlowSelection::grow() {
  slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    slots_[slot_of(keys_[i].key, keys_[i].hash)] = static_cast<std::uint32_t>(i + 1);
  }
}

void FlowSelection::check_room(std::uint64_t bytes) const {
  bytes +=
      keys_.capacity() * sizeof(Key) + ranges_.capacity() * sizeof(PacketRange) + slots_.size() * sizeof(std::uint32_t);
  if (bytes <= memory_ && keys_.size() < std::numeric_limits<std::uint32_t>::max()) return;
  throw Error(fmt::format("more flows are selected than have room in {}, a quarter of --memory: it may be more",
                          human_bytes(static_cast<double>(memory_))));
}

void FlowSelection::add(const FlowKey& key, std::span<const PacketRange> ranges) {
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  check_room(0);
  const std::uint64_t hash = hash_flow(key, seed_).hash;
  keys_.push_back({key, hash, ranges_.size()});
  ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  slots_[slot_of(key, hash)] = static_cast<std::uint32_t>(keys_.size());
}

std::span<const PacketRange> FlowSelection::of(const FlowKey& key, std::uint64_t hash) const {
  if (keys_.empty()) return {};
  const std::uint32_t number = slots_[slot_of(key, hash)];
  if (number == 0) return {};
  const std::size_t begin = keys_[number - 1].first_range;
  const std::size_t end = number < keys_.size() ? keys_[number].first_range : ranges_.size();
  return {ranges_.data() + begin, ranges_.data() + end};
}

class SelectingWriter::Section : public RecordSection {
 public:
  explicit Section(const SelectingWriter& writer) : writer_(writer) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    write_annotated(record, reverse, kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted) override {
    Biflow flow{record, {}, reverse != nullptr, writer_.biflow_};
    if (reverse) flow.reverse = *reverse;
    flow.forward.absent |= writer_.absent_;
    flow.reverse.absent |= writer_.absent_;
    const bool is_selected = writer_.filter_.matches(flow, noted);
    ++counts.flows;
    counts.selected += is_selected;
    flows.push_back({record.key, record.arrival, is_selected});
    if (reverse) flows.push_back({reverse->key, reverse->arrival, is_selected});
  }
  std::size_t bytes() const override { return flows.size() * sizeof(Flow); }

  std::vector<Flow> flows;
  SelectedCounts counts;

 private:
  const SelectingWriter& writer_;
};

std::unique_ptr<RecordSection> SelectingWriter::new_section() const { return std::make_unique<Section>(*this); }

void SelectingWriter::append(RecordSection& section) {
  Section& of_flows = static_cast<Section&>(section);
  for (const Flow& flow : of_flows.flows) take(flow);
  counts_.flows += of_flows.counts.flows;
  counts_.selected += of_flows.counts.selected;
  of_flows.flows.clear();
  of_flows.counts = {};
}

void SelectingWriter::take(const Flow& flow) {
  if (!flows_.empty() && flows_.back().key != flow.key && undirected(flows_.back().key) != undirected(flow.key)) {
    end_keys();
  }
  flows_.push_back(flow);
}

// A flow has the packets of its key from its own first to that of the next; nothing was before the first flow.
void SelectingWriter::end_keys() {
  std::ranges::sort(flows_, [](const Flow& a, const Flow& b) {
    const int order = compare(a.key, b.key);
    return order != 0 ? order < 0 : a.first < b.first;
  });
  std::vector<PacketRange> ranges;
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const bool is_first = i == 0 || flows_[i - 1].key != flows_[i].key;
    const bool is_last = i + 1 == flows_.size() || flows_[i + 1].key != flows_[i].key;
    if (flows_[i].is_selected) {
      PacketRange range;
      if (!is_first) range.first = static_cast<std::int64_t>(flows_[i].first);
      if (!is_last) range.last = static_cast<std::int64_t>(flows_[i + 1].first) - 1;
      const bool goes_on = !is_first && flows_[i - 1].is_selected;
      if (goes_on) ranges.back().last = range.last;
      else ranges.push_back(range);
    }
    if (is_last && !ranges.empty()) selection_.add(flows_[i].key, std::exchange(ranges, {}));
  }
  flows_.clear();
}

namespace {

struct TimedFlow {
  FlowKey key;
  PacketRange range;
};

// Files may have cut their times to microseconds: what began in the last of these belongs to the flow.
TimedFlow timed(const FlowRecord& record) {
  std::int64_t end = record.end_ns;
  if (end % kNsPerUs == 0 && end <= std::numeric_limits<std::int64_t>::max() - kNsPerUs) end += kNsPerUs - 1;
  return {record.key, {record.start_ns, end}};
}

void add_by_key(std::vector<TimedFlow>& flows, FlowSelection& selection) {
  std::ranges::sort(flows, [](const TimedFlow& a, const TimedFlow& b) {
    const int order = compare(a.key, b.key);
    return order != 0 ? order < 0 : a.range.first < b.range.first;
  });
  std::vector<PacketRange> ranges;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const PacketRange& range = flows[i].range;
    if (!ranges.empty() && range.first <= ranges.back().last)
      ranges.back().last = std::max(ranges.back().last, range.last);
    else ranges.push_back(range);
    const bool is_last = i + 1 == flows.size() || flows[i + 1].key != flows[i].key;
    if (is_last) selection.add(flows[i].key, std::exchange(ranges, {}));
  }
}

}  // namespace

SelectedCounts select_from(FlowFiles& files, const Filter* filter, FlowSelection& selection) {
  SelectedCounts counts;
  std::vector<TimedFlow> flows;
  Biflow flow;
  while (files.next(flow)) {
    ++counts.flows;
    if (filter && !filter->matches(flow, files.annotations())) continue;
    ++counts.selected;
    flows.push_back(timed(flow.forward));
    if (flow.has_reverse) flows.push_back(timed(flow.reverse));
    selection.check_room(flows.size() * sizeof(TimedFlow));
  }
  add_by_key(flows, selection);
  return counts;
}

}  // namespace warpmeter::inline command
