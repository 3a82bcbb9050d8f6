#include "command/coalesce/settled_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

namespace warpmeter::inline command {

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
