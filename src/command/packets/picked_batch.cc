#include "command/packets/picked_batch.h"

#include <algorithm>

#include "packet/decode/packet_filter.h"

namespace warpmeter::inline command {
namespace {

constexpr PacketRange kAlways;

}  // namespace

PickedBatch::PickedBatch(const PickRules& rules)
    : rules_(rules),
      decoded_(rules.decoder, rules.clock, one_share<SegmentBatch>(rules.frames)),
      interfaces_(&rules.interfaces) {}

void PickedBatch::begin() {
  decoded_.begin();
  frames_ = segments_ = 0;
  picked_.clear();
  doubts_.clear();
  records_.clear();
}

void PickedBatch::add(const FrameBlock& block) {
  decoded_.add(block);
  if (rules_.selection) take_selected(block);
  else take_all(block);
  frames_ += static_cast<std::uint32_t>(block.frames.size());
}

// What a filter cannot look at it does not take.
void PickedBatch::take_all(const FrameBlock& block) {
  std::uint32_t place = frames_;
  for (const Frame& frame : block.frames) {
    const bool is_taken = !rules_.filter || (frame.link != kUnknownLink && rules_.filter->matches(frame));
    if (is_taken) pick(frame, place);
    ++place;
  }
}

// Segments come in the order of their frames.
void PickedBatch::take_selected(const FrameBlock& block) {
  const SegmentBatch& batch = decoded_.shares.front();
  for (; segments_ < batch.count; ++segments_) {
    const auto ranges = rules_.selection->of(batch.key[segments_], batch.hash[segments_]);
    if (ranges.empty()) continue;
    const std::uint32_t place = batch.segment[segments_].frame;
    take(block.frames[place - frames_], place, ranges);
  }
}

void PickedBatch::pick(const Frame& frame, std::uint32_t place) {
  picked_.push_back({frame, place});
  picked_.back().frame.point = interfaces_.number_of(frame.link, frame.point);
  add_record(picked_.back().frame, place);
}

// Of a frame that is picked.
void PickedBatch::add_record(const Frame& frame, std::uint32_t place) {
  const std::uint32_t kept = rules_.headers_only ? rules_.decoder.bytes_of_headers(frame) : frame.captured;
  records_.add(rules_.form, frame, {frame.time_ns, kept, frame.original, frame.point}, place);
}

// A frame may hold packets of several flows, and the number of the first frame is known when all have been read.
void PickedBatch::take(const Frame& frame, std::uint32_t place, std::span<const PacketRange> ranges) {
  if (rules_.selection->order() == PacketOrder::time) {
    if (std::ranges::none_of(ranges, [&](const PacketRange& range) { return range.holds(frame.time_ns); })) return;
    ranges = {&kAlways, 1};
  }
  const bool is_there = !picked_.empty() && picked_.back().place == place;
  if (!is_there) pick(frame, place);
  const std::size_t number = picked_.size() - 1;
  const bool is_sure = is_there && (doubts_.empty() || doubts_.back().picked != number);
  if (!is_sure && (is_there || !ranges.front().holds_all())) doubts_.push_back({number, ranges});
}

// Those that are not wanted after all. Returns whether there are any.
bool PickedBatch::leave_out(std::uint64_t first_number) {
  std::vector<bool> is_wanted(picked_.size(), true);
  for (const Doubt& doubt : doubts_) is_wanted[doubt.picked] = false;
  for (const Doubt& doubt : doubts_) {
    const auto number = static_cast<std::int64_t>(first_number + picked_[doubt.picked].place);
    const auto holds = [number](const PacketRange& range) { return range.holds(number); };
    if (std::ranges::any_of(doubt.ranges, holds)) is_wanted[doubt.picked] = true;
  }
  std::size_t i = 0;
  return std::erase_if(picked_, [&](const Picked&) { return !is_wanted[i++]; }) > 0;
}

void PickedBatch::finish(std::uint64_t first_number) {
  decoded_.finish(first_number);
  if (doubts_.empty() || !leave_out(first_number)) return;
  records_.clear();
  for (const auto& [frame, place] : picked_) add_record(frame, place);
}

std::uint64_t PickedBatch::write(CaptureWriter& writer) {
  writer.write(records_, 0, records_.size());
  writer.flush();
  return records_.size();
}

std::uint64_t PickedBatch::changed_times() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      picked_, [this](const Picked& picked) { return !can_tell(rules_.form, picked.frame.time_ns); }));
}

}  // namespace warpmeter::inline command
