#include "command/coalesce/coalescing_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "core/flow_hash.h"

namespace warpmeter::inline command {

CoalescingGroup::CoalescingGroup(unsigned number, unsigned groups, const CoalescerOptions& options, CaptureForm form)
    : number_(number), first_shard_(first_shard_of(number, groups)), form_(form) {
  for (unsigned shard = first_shard_; shard < first_shard_of(number + 1, groups); ++shard) {
    shards_.push_back(std::make_unique<Coalescer>(options));
  }
}

void CoalescingGroup::take(const CoalescingBatch& batch) {
  if (batch.pending()) kept_.push_back(batch.pending());
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
  const bool taken = shards_[packet.hash.shard - first_shard_]->take(packet, number, passed_ + packet.passed, left_);
  if (!left_.empty()) place_what_left();
  if (taken || packet.reason != PassReason::none || !batch.pending()) return;
  batch.pending()->groups[number_].repeated.add(form_, packet.frame, packet.frame.point, packet.place);
}

void CoalescingGroup::place_what_left() {
  if (!kept_.empty()) {
    for (CoalescedPacket& packet : left_) batch_of(packet.place).groups[number_].coalesced.push_back(std::move(packet));
  }
  left_.clear();
}

// Most have it in the latest.
PendingBatch& CoalescingGroup::batch_of(std::uint64_t place) {
  if (place >= kept_.back()->first) return *kept_.back();
  const auto after = std::ranges::upper_bound(kept_, place, {}, [](const auto& batch) { return batch->first; });
  return **std::prev(after);
}

void CoalescingGroup::settle() {
  if (kept_.empty()) return;
  std::uint64_t open = kept_.back()->last;
  for (const auto& shard : shards_) {
    if (const auto place = shard->first_open_place()) open = std::min(open, *place);
  }
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

void SettledOutput::write_settled() {
  std::uint64_t settled = std::numeric_limits<std::uint64_t>::max();
  for (const auto& group : groups_) settled = std::min(settled, group->settled());
  while (!waiting_.empty() && waiting_.front()->last <= settled) {
    write(*waiting_.front());
    waiting_.pop_front();
  }
}

void SettledOutput::list_items(PendingBatch& batch) {
  items_.clear();
  for (PendingBatch::OfGroup& group : batch.groups) {
    for (const CoalescedPacket& packet : group.coalesced)
      items_.push_back({packet.place, packet.order, &packet, {}, {}});
    for (std::size_t i = 0; i < group.repeated.size(); ++i) {
      items_.push_back({batch.first + group.repeated.place(i), 0, nullptr, &group.repeated, i});
    }
  }
  std::ranges::sort(items_, {}, [](const Item& item) { return std::tuple(item.place, item.order); });
}

// Between two of the groups' packets all that pass, at once.
void SettledOutput::write(PendingBatch& batch) {
  list_items(batch);
  PacketRecords& passed = batch.passed;
  std::size_t written = 0;
  const auto pass_until = [&](std::uint64_t place) {
    std::size_t end = written;
    while (end < passed.size() && batch.first + passed.place(end) < place) ++end;
    writer_.write(passed, written, end);
    written = end;
  };
  for (const Item& item : items_) {
    pass_until(item.place);
    write(item);
  }
  pass_until(batch.last);
  packets_ += items_.size() + passed.size();
}

void SettledOutput::write(const Item& item) {
  if (!item.coalesced) return writer_.write(*item.records, item.record, item.record + 1);
  const CoalescedPacket& packet = *item.coalesced;
  std::vector<std::string> comments;
  if (writer_.form() == CaptureForm::pcapng) {
    if (packet.joined > 1) comments.push_back(fmt::format("joined {}", packet.joined));
    comments.insert(comments.end(), packet.comments.begin(), packet.comments.end());
  }
  const std::uint32_t size = packet.bytes.size();
  const RecordFacts facts{packet.time_ns, size, size, packet.interface};
  writer_.begin_packet(facts, comments);
  packet.bytes.for_each([this](const std::uint8_t* bytes, std::size_t count) { writer_.write_bytes(bytes, count); });
  writer_.end_packet(facts, comments);
}

}  // namespace warpmeter::inline command
