#include "command/packets/flow_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/words/human_units.h"
#include "core/biflow_key.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

void Moments::add(const Moments& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  squares_ += other.squares_;
  least_ = std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
}

std::optional<double> Moments::mean() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

// From the mean's whole part, so that no large number is taken from another one of nearly its size: with mean =
// part + rest / count, the squares of all differences from it are those from `part`, less rest^2 / count.
std::optional<double> Moments::deviation() const {
  using Wide = unsigned __int128;
  if (count_ < 2) return std::nullopt;
  const std::uint64_t part = sum_ / count_, rest = sum_ % count_;
  const Wide from_part = squares_ - Wide{part} * (Wide{sum_} + rest);
  const auto count = static_cast<double>(count_);
  if (from_part >> 64 == 0) {
    const Wide times_count = from_part * count_ - Wide{rest} * rest;
    return std::sqrt(static_cast<double>(times_count) / (count * static_cast<double>(count_ - 1)));
  }
  return std::sqrt(static_cast<double>(from_part - Wide{rest} * rest / count_) / static_cast<double>(count_ - 1));
}

class FlowFeatures::Section : public RecordSection {
 public:
  explicit Section(const FlowFeatures& features) : features_(features) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    write_annotated(record, reverse, kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted) override {
    Biflow& flow = flows.emplace_back();
    flow.forward = record;
    flow.has_reverse = reverse != nullptr;
    flow.of_biflows = features_.biflow_;
    if (reverse) flow.reverse = *reverse;
    flow.forward.absent |= features_.absent_;
    flow.reverse.absent |= features_.absent_;
    is_wanted.push_back(!features_.filter_ || features_.filter_->matches(flow, noted));
  }
  std::size_t bytes() const override { return flows.size() * sizeof(Biflow); }

  std::vector<Biflow> flows;
  std::vector<bool> is_wanted;

 private:
  const FlowFeatures& features_;
};

FlowFeatures::FlowFeatures(const FeatureOptions& options, const Filter* filter, bool biflow, std::uint32_t absent,
                           const HashSeed& seed, std::uint64_t memory)
    : options_(options),
      filter_(filter),
      biflow_(biflow),
      absent_(absent),
      memory_(memory),
      keys_(PacketOrder::number, seed, std::numeric_limits<std::uint64_t>::max()) {}

std::unique_ptr<RecordSection> FlowFeatures::new_section() const { return std::make_unique<Section>(*this); }

namespace {

FeatureRow::Direction direction_of(const FlowRecord& record) {
  FeatureRow::Direction direction;
  direction.start_ns = record.start_ns;
  direction.end_ns = record.end_ns;
  direction.packets = record.packets;
  direction.bytes = record.bytes;
  return direction;
}

std::size_t listed_packets(const FeatureRow& row, const FeatureOptions& options) {
  return std::min<std::uint64_t>(row.forward.packets + row.reverse.packets, options.first_packets);
}

}  // namespace

void FlowFeatures::append(RecordSection& section) {
  Section& of_flows = static_cast<Section&>(section);
  for (std::size_t i = 0; i < of_flows.flows.size(); ++i) {
    const Biflow& flow = of_flows.flows[i];
    std::uint32_t row = kUnwanted;
    ++counts_.flows;
    if (of_flows.is_wanted[i]) {
      ++counts_.selected;
      row = static_cast<std::uint32_t>(rows_.size());
      FeatureRow& made = rows_.emplace_back();
      made.key = flow.forward.key;
      made.first_packet = flow.forward.arrival;
      made.forward = direction_of(flow.forward);
      made.has_reverse = flow.has_reverse;
      if (flow.has_reverse) made.reverse = direction_of(flow.reverse);
    }
    take({flow.forward.key, flow.forward.arrival, flow.forward.packets, row, false});
    if (flow.has_reverse) take({flow.reverse.key, flow.reverse.arrival, flow.reverse.packets, row, true});
  }
  of_flows.flows.clear();
  of_flows.is_wanted.clear();
}

void FlowFeatures::take(const Flow& flow) {
  if (!flows_.empty() && flows_.back().key != flow.key && undirected(flows_.back().key) != undirected(flow.key)) {
    end_keys();
  }
  flows_.push_back(flow);
}

// Flows of a key, wanted or not, one behind the other.
void FlowFeatures::end_keys() {
  std::ranges::sort(flows_, [](const Flow& a, const Flow& b) {
    const int order = compare(a.key, b.key);
    return order != 0 ? order < 0 : a.arrival < b.arrival;
  });
  std::vector<PacketRange> ranges;
  for (std::size_t i = 0, end; i < flows_.size(); i = end) {
    bool any = false;
    for (end = i; end < flows_.size() && flows_[end].key == flows_[i].key; ++end) any |= flows_[end].row != kUnwanted;
    if (!any) continue;
    std::uint64_t packets = 0;
    for (std::size_t j = i; j < end; ++j) {
      packets += flows_[j].packets;
      shares_.push_back({.end = packets, .row = flows_[j].row, .is_reverse = flows_[j].is_reverse});
    }
    ranges.resize(end - i);
    keys_.add(flows_[i].key, ranges);
  }
  flows_.clear();
  check_room(0);
}

void FlowFeatures::check_room(std::size_t items) const {
  constexpr std::size_t kOfKey = 96;  // of a share its part in the table of keys, at most
  const std::uint64_t bytes = rows_.capacity() * sizeof(FeatureRow) + shares_.capacity() * (sizeof(Share) + kOfKey) +
                              items * sizeof(FirstPacket);
  if (bytes <= memory_ && rows_.size() < kUnwanted) return;
  throw Error(
      fmt::format("features of more flows are wanted than have room in {}, half of --memory: it may be more, or "
                  "-f may select fewer",
                  human_bytes(static_cast<double>(memory_))));
}

void FlowFeatures::end() {
  end_keys();
  std::size_t items = 0;
  for (FeatureRow& row : rows_) {
    row.first_item = items;
    items += listed_packets(row, options_);
  }
  check_room(items);
  items_.resize(items);
}

std::span<const FirstPacket> FlowFeatures::first_packets(const FeatureRow& row) const {
  return {items_.data() + row.first_item, listed_packets(row, options_)};
}

void FlowFeatures::add(const FlowKey& key, std::uint64_t hash, const Segment& segment) {
  const std::span<const PacketRange> ranges = keys_.of(key, hash);
  if (ranges.empty()) return;
  const std::size_t first = keys_.place_of(ranges);
  Share& of_key = shares_[first];
  while (of_key.current < ranges.size() && shares_[first + of_key.current].end == of_key.packets) ++of_key.current;
  if (of_key.current == ranges.size()) {
    has_others_.store(true, std::memory_order_relaxed);
    return;
  }
  ++of_key.packets;
  const Share& share = shares_[first + of_key.current];
  if (share.row != kUnwanted) add_to(rows_[share.row], share.is_reverse, segment);
}

void FlowFeatures::add_to(FeatureRow& row, bool is_reverse, const Segment& segment) {
  FeatureRow::Direction& direction = is_reverse ? row.reverse : row.forward;
  const std::int64_t time = segment.time_ns;
  if (direction.lengths.count() > 0) direction.gaps.add(static_cast<std::uint64_t>(direction.gap_to(time)));
  direction.latest_ns = direction.lengths.count() > 0 ? std::max(direction.latest_ns, time) : time;
  direction.lengths.add(segment.length);

  const bool is_first = row.packets == 0;
  const std::uint64_t gap = is_first || time <= row.latest_ns ? 0 : static_cast<std::uint64_t>(time - row.latest_ns);
  if (row.packets < listed_packets(row, options_)) {
    items_[row.first_item + row.packets] = {gap, segment.length, is_reverse};
  }
  ++row.packets;
  if (is_first) {
    row.latest_ns = row.active_since_ns = time;
    return;
  }
  row.gaps.add(gap);
  if (gap > static_cast<std::uint64_t>(options_.idle_after_ns)) {
    row.idle.add(gap);
    row.active.add(static_cast<std::uint64_t>(row.latest_ns - row.active_since_ns));
    row.active_since_ns = time;
  }
  row.latest_ns = std::max(row.latest_ns, time);
}

bool FlowFeatures::end_packets() {
  bool is_complete = !has_others_;
  for (FeatureRow& row : rows_) {
    is_complete = is_complete && row.forward.is_complete() && row.reverse.is_complete();
    if (row.packets > 0) row.active.add(static_cast<std::uint64_t>(row.latest_ns - row.active_since_ns));
  }
  return is_complete;
}

}  // namespace warpmeter::inline command
