#include "policy/control/policy_request.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline policy {

std::string apply_request(std::string_view request, RunningPolicy& policy) {
  const std::size_t end = std::min(request.find('\n'), request.size());
  const std::string_view text = request.substr(end);  // with the end of the first line, which counts as one
  std::string_view word = request.substr(0, end);
  if (word.ends_with('\r')) word.remove_suffix(1);
  if (word == "set_memory") {
    GroupId id = 0;
    policy.change([&](PolicyMemory& memory) { id = memory.set_memory(text); });
    return "group " + std::to_string(id) + " set";
  }
  if (word == "set_init") {
    GroupId to = 0;
    policy.change([&](PolicyMemory& memory) {
      memory.set_init(text);
      to = memory.init().front().to;
    });
    return "an init rule set, to " + (is_end(to) ? "" : std::string("group ")) + group_word(to);
  }
  if (word == "replace") {
    policy.replace(PolicyMemory::load(text));
    return "replaced";
  }
  throw PolicyError("the first line is set_memory, set_init or replace");
}

}  // namespace warpmeter::inline policy
