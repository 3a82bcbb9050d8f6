// Behind a byte that says nothing, a policy file. What is refused is told in one line; of what is taken each group
// stands before those that may follow it.
#include <algorithm>
#include <string>

#include "fuzz/must.h"
#include "policy/memory/policy_memory.h"

namespace warpmeter::fuzz {
namespace {

void must_be_sorted(const PolicyMemory& memory) {
  const std::vector<GroupId> order = memory.order();
  must(order.size() == memory.groups().size());
  std::map<GroupId, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  for (const auto& [id, group] : memory.groups()) {
    for (const GroupId next : group.followers()) must(is_end(next) || places.at(next) > places.at(id));
  }
  must(memory.longest_path() <= memory.max_rounds());
  std::size_t merged = 0;
  for (const std::vector<GroupId>& chain : merged_groups(memory)) merged += chain.size();
  must(merged == order.size());
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size == 0) return 0;
  try {
    fuzz::must_be_sorted(PolicyMemory::load({reinterpret_cast<const char*>(data) + 1, size - 1}));
  } catch (const PolicyError& error) {
    fuzz::must(fuzz::is_one_line(error.what()));
  }
  return 0;
}
