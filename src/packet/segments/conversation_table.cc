#include "packet/segments/conversation_table.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline packet {

std::uint32_t ConversationTable::add(const FlowKey& key, std::uint64_t hash, std::size_t at) {
  const FlowKey back = swapped(key);
  const std::uint32_t other = slots_[find(back, hash_flow(back, hash_seed_).hash)].flow;
  std::uint32_t flow = other ^ 1;
  if (other == kNone) {
    flow = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back({key, {}});
    flows_.push_back({back, {}});
  }
  slots_[at] = {hash, flow};
  if (++used_ > slots_.size() / 4 * 3) grow();
  return flow;
}

void ConversationTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.flow != kNone) slots_[find(flows_[slot.flow].key, slot.hash)] = slot;
  }
}

// Not larger than the last block needed.
void ConversationTable::clear() {
  if (slots_.size() > kFewest && used_ < slots_.size() / 8) slots_.resize(slots_.size() / 2);
  std::fill(slots_.begin(), slots_.end(), Slot{});
  used_ = 0;
  flows_.clear();
}

}  // namespace warpmeter::inline packet
