#include "command/coalesce/coalescing_batch.h"

#include <utility>

namespace warpmeter::inline command {

CoalescingBatch::CoalescingBatch(const FrameRules& rules)
    : rules_(&rules), interfaces_(rules.interfaces), group_begin_(rules.groups + 1) {}

void CoalescingBatch::begin() {
  packets_.clear();
  leases_.clear();
  shared_leases_.reset();
  counters_ = {};
  passes_ = {};
  bytes_ = 0;
  frames_ = 0;
  passed_.clear();
  pending_.reset();
}

void CoalescingBatch::add(const FrameBlock& block) {
  for (const Lease& lease : block.leases) {
    if (leases_.empty() || leases_.back() != lease) leases_.push_back(lease);
  }
  std::size_t kept = packets_.size();
  packets_.resize(kept + block.frames.size());
  for (const Frame& frame : block.frames) kept += add(frame, packets_[kept]);
  packets_.resize(kept);
}

// Does it belong to a direction?
bool CoalescingBatch::add(const Frame& frame, CoalescingPacket& packet) {
  constexpr std::uint64_t kRecord = 16;  // of frames without bytes, too, not any number may pass
  const std::uint32_t place = frames_++;
  const std::uint64_t passed = bytes_;
  bytes_ += frame.captured + (frame.options == 0 ? 0 : options_bytes(frame)) + kRecord;
  ++counters_.frames;
  if (rules_->filter && frame.link != kUnknownLink && !rules_->filter->matches(frame)) {
    ++counters_.ignored[static_cast<std::size_t>(Ignored::filtered_out)];
    counters_.ignored_bytes += frame.original;
    return false;
  }
  look_at(frame, rules_->verify, rules_->seed, packet);
  packet.place = place;
  packet.passed = passed;
  if (rules_->interfaces) packet.frame.point = interfaces_.number_of(frame.link, frame.point);
  if (packet.reason != PassReason::none) {
    ++passes_[static_cast<std::size_t>(packet.reason)];
    if (rules_->interfaces) passed_.add(rules_->form, packet.frame, packet.frame.point, place);
  }
  return packet.has_key;
}

void CoalescingBatch::finish(std::uint64_t first_number) {
  first_number_ = first_number;
  list_by_group();
  shared_leases_ = std::make_shared<const std::vector<Lease>>(std::move(leases_));
  leases_ = {};
  if (!rules_->interfaces || frames_ == 0) return;
  pending_ = std::make_shared<PendingBatch>();
  pending_->passed = passed_.copy();
  if (passed_.in_frames() > 0) pending_->leases = shared_leases_;
  pending_->groups.resize(rules_->groups);
  pending_->first = first_number;
  pending_->last = first_number + frames_;
}

// A stable counting sort.
void CoalescingBatch::list_by_group() {
  const unsigned groups = rules_->groups;
  group_begin_.assign(groups + 1, 0);
  for (const CoalescingPacket& packet : packets_) ++group_begin_[share_of(packet.hash.shard, groups) + 1];
  for (unsigned g = 0; g < groups; ++g) group_begin_[g + 1] += group_begin_[g];
  std::vector<std::uint32_t> next = group_begin_;
  listed_.resize(packets_.size());
  for (std::uint32_t i = 0; i < packets_.size(); ++i) listed_[next[share_of(packets_[i].hash.shard, groups)]++] = i;
}

}  // namespace warpmeter::inline command
