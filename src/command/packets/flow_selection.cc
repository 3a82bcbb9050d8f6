#include "command/packets/flow_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words/human_units.h"
#include "core/flow_hash.h"
#include "warpmeter/status.h"

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

}  // namespace warpmeter::inline command
