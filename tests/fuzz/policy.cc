// A policy file, or what set_init() and set_memory() take: the first byte says which. What is refused is told in one
// line and changes nothing; of what is taken each group stands before those that may follow it.
#include <algorithm>
#include <string>

#include "fuzz/must.h"
#include "policy/memory/merged_groups.h"
#include "policy/memory/policy_memory.h"

namespace warpmeter::fuzz {
namespace {

bool is_one_line(const std::string& why) {
  return !why.empty() && why.size() < 2000 &&
         std::none_of(why.begin(), why.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

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

// false: it was refused.
template <class Change>
bool taken(Change&& change) {
  try {
    change();
  } catch (const PolicyError& error) {
    must(is_one_line(error.what()));
    return false;
  }
  return true;
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  PolicyMemory memory;
  if (data[0] % 4 < 2) {
    fuzz::taken([&] { memory = PolicyMemory::load(text); });
    fuzz::must_be_sorted(memory);
    return 0;
  }
  memory = PolicyMemory::load(
      "[init]\ndefault = 'a'\n[[group]]\nid = 1\nname = 'a'\nmatch = 2\nrule = [{}]\n"
      "[[group]]\nid = 2\nrule = [{}]\n");
  const std::map<GroupId, Group> groups = memory.groups();
  const std::vector<InitRule> init = memory.init();
  const GroupId to = data[0] / 4 % 8;
  const bool changed = fuzz::taken([&] {
    if (data[0] % 4 == 2) memory.set_init(text, to);
    else memory.set_memory(to, text, kOut, data[0] / 32);
  });
  fuzz::must(changed || (memory.groups() == groups && memory.init() == init));
  fuzz::must_be_sorted(memory);
  return 0;
}
