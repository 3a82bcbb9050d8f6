#include "command/coalesce/coalescing_group.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/flow_hash.h"

namespace warpmeter::inline command {
namespace {

// So many batches back frames are held, which is about what stays in a processor's cache.
constexpr std::size_t kRecent = 16;

}  // namespace

CoalescingGroup::CoalescingGroup(unsigned number, unsigned groups, const CoalescerOptions& options, CaptureForm form)
    : number_(number), first_shard_(first_shard_of(number, groups)), form_(form) {
  for (unsigned shard = first_shard_; shard < first_shard_of(number + 1, groups); ++shard) {
    shards_.push_back(std::make_unique<Coalescer>(options));
  }
}

void CoalescingGroup::take(const CoalescingBatch& batch) {
  if (batch.pending()) begin(batch);
  const auto listed = batch.of_group(number_);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    prefetch_ahead(batch, listed.subspan(i));
    take(batch, batch.packet(listed[i]));
  }
  passed_ += batch.passed_bytes();
  for (const auto& shard : shards_) shard->go_on(passed_, left_);
  place_what_left();
  settle();
}

void CoalescingGroup::begin(const CoalescingBatch& batch) {
  kept_.push_back(batch.pending());
  kept_.back()->groups[number_].records.reserve(usual_bytes_);
  if (kept_.size() > kRecent) kept_[kept_.size() - 1 - kRecent]->groups[number_].keep();
  recent_.push_back({batch.first_number(), batch.leases()});
  if (recent_.size() <= kRecent) return;
  for (const auto& shard : shards_) shard->keep_before(recent_[1].first);
  recent_.pop_front();
}

// What a packet needs is found in steps, each of which may miss the cache.
void CoalescingGroup::prefetch_ahead(const CoalescingBatch& batch, std::span<const std::uint32_t> listed) const {
  constexpr std::size_t kSoon = 12, kSooner = 8, kSoonest = 4;  // packets
  const auto ahead = [&](std::size_t packets, const auto& prefetch) {
    if (packets >= listed.size()) return;
    const CoalescingPacket& packet = batch.packet(listed[packets]);
    prefetch(*shards_[packet.hash.shard - first_shard_], packet);
  };
  ahead(kSoon, [](const Coalescer& shard, const CoalescingPacket& packet) { shard.prefetch_index(packet); });
  ahead(kSooner, [](const Coalescer& shard, const CoalescingPacket& packet) { shard.prefetch_descriptor(packet); });
  ahead(kSoonest, [](const Coalescer& shard, const CoalescingPacket& packet) { shard.prefetch_list(packet); });
}

void CoalescingGroup::take(const CoalescingBatch& batch, const CoalescingPacket& packet) {
  const std::uint64_t number = batch.first_number() + packet.place;
  const Outcome outcome =
      shards_[packet.hash.shard - first_shard_]->take(packet, number, passed_ + packet.passed, left_);
  if (!left_.empty()) place_what_left();
  if (outcome == Outcome::waits || packet.reason != PassReason::none || !batch.pending()) return;
  PacketRecords& records = batch.pending()->groups[number_].records;
  const std::size_t in_frames = records.in_frames();
  const Frame& frame = packet.frame;
  if (outcome == Outcome::passes) records.add(form_, frame, frame.point, packet.place);
  else records.add(form_, frame, {frame.time_ns, packet.size, packet.size, frame.point}, packet.place);
  if (records.in_frames() > in_frames) lease(kept_.size() - 1, number);
}

void CoalescingGroup::place_what_left() {
  if (!kept_.empty()) {
    for (CoalescedPacket& packet : left_) place(packet);
  }
  left_.clear();
}

// As a record of the batch in which its place is.
void CoalescingGroup::place(CoalescedPacket& packet) {
  const std::size_t kept = kept_with(packet.place);
  PendingBatch& batch = *kept_[kept];
  PacketRecords& records = batch.groups[number_].records;
  const std::size_t in_frames = records.in_frames();
  comments_.clear();
  if (form_ == CaptureForm::pcapng) {
    if (packet.joined > 1) comments_.push_back("joined " + std::to_string(packet.joined));
    comments_.insert(comments_.end(), packet.comments.begin(), packet.comments.end());
  }
  const std::uint32_t size = packet.bytes.size();
  const RecordFacts facts{packet.time_ns, size, size, packet.interface};
  records.begin(form_, facts, comments_);
  records.add_bytes(packet.bytes.front(), packet.bytes.front_size());
  bool needs_kept = false;
  packet.bytes.each_of_payload([&](const std::uint8_t* bytes, std::size_t count, bool is_kept) {
    needs_kept |= records.refer(bytes, count, is_kept) && is_kept;
  });
  if (needs_kept) records.take_over(packet.bytes.take_kept());
  records.end(form_, facts, comments_, static_cast<std::uint32_t>(packet.place - batch.first));
  if (records.in_frames() > in_frames) lease(kept, packet.refers_from);
}

// Most have it in the latest.
std::size_t CoalescingGroup::kept_with(std::uint64_t place) const {
  if (place >= kept_.back()->first) return kept_.size() - 1;
  const auto after = std::ranges::upper_bound(kept_, place, {}, [](const auto& batch) { return batch->first; });
  return static_cast<std::size_t>(after - kept_.begin()) - 1;
}

// Holds the frames from this packet on to those of a batch for what was added to that.
void CoalescingGroup::lease(std::size_t kept, std::uint64_t from) {
  PendingBatch::OfGroup& of_group = kept_[kept]->groups[number_];
  const std::size_t behind = kept_.size() - 1 - kept;  // batches
  while (of_group.leases.empty() || from < of_group.leased_from) {
    const Recent& recent = recent_[recent_.size() - 1 - behind - of_group.leases.size()];
    of_group.leases.push_back(recent.leases);
    of_group.leased_from = recent.first;
  }
}

void CoalescingGroup::settle() {
  if (kept_.empty()) return;
  usual_bytes_ = kept_.back()->groups[number_].records.bytes();
  std::uint64_t open = kept_.back()->last, needed = CoalescedPacket::kNone;
  for (const auto& shard : shards_) {
    if (const auto place = shard->first_open_place()) open = std::min(open, *place);
    needed = std::min(needed, shard->refers_from());
  }
  while (recent_.size() > 1 && recent_[1].first <= needed) recent_.pop_front();
  if (needed == CoalescedPacket::kNone) recent_.clear();
  while (!kept_.empty() && kept_.front()->last <= open) kept_.pop_front();
  settled_.store(open, std::memory_order_release);
}

void CoalescingGroup::end() {
  for (const auto& shard : shards_) {
    shard->end(passed_, left_);
    place_what_left();
  }
  settle();
}

CoalescerCounters CoalescingGroup::counters() const {
  CoalescerCounters sum;
  for (const auto& shard : shards_) sum.add(shard->counters());
  return sum;
}

void SettledOutput::take(std::shared_ptr<PendingBatch> batch) {
  waiting_.push_back(std::move(batch));
  if (waiting_.size() > kRecent) waiting_[waiting_.size() - 1 - kRecent]->keep_passed();
}

void SettledOutput::write_settled() {
  std::uint64_t settled = std::numeric_limits<std::uint64_t>::max();
  for (const auto& group : groups_) settled = std::min(settled, group->settled());
  while (!waiting_.empty() && waiting_.front()->last <= settled) {
    write(*waiting_.front());
    waiting_.front()->let_go();
    waiting_.pop_front();
  }
}

// By their places, of which there are few; those of one place are neighbours, in their order.
void SettledOutput::list_items(PendingBatch& batch) {
  item_begin_.assign(batch.last - batch.first + 1, 0);
  for (const PendingBatch::OfGroup& group : batch.groups) {
    for (std::size_t i = 0; i < group.records.size(); ++i) ++item_begin_[group.records.place(i) + 1];
  }
  std::partial_sum(item_begin_.begin(), item_begin_.end(), item_begin_.begin());
  items_.resize(item_begin_.back());
  for (PendingBatch::OfGroup& group : batch.groups) {
    for (std::size_t i = 0; i < group.records.size(); ++i) {
      const std::uint32_t place = group.records.place(i);
      items_[item_begin_[place]++] = {place, static_cast<std::uint32_t>(i), &group.records};
    }
  }
}

// Between two of the groups' packets all that pass, at once.
void SettledOutput::write(PendingBatch& batch) {
  list_items(batch);
  PacketRecords& passed = batch.passed;
  std::size_t written = 0;
  const auto pass_until = [&](std::uint64_t place) {
    std::size_t end = written;
    while (end < passed.size() && passed.place(end) < place) ++end;
    writer_.write(passed, written, end);
    written = end;
  };
  for (const Item& item : items_) {
    pass_until(item.place);
    writer_.write(*item.records, item.record, item.record + 1);
  }
  pass_until(batch.last - batch.first);
  writer_.flush();
  packets_ += items_.size() + passed.size();
}

}  // namespace warpmeter::inline command
