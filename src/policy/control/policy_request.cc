#include "policy/control/policy_request.h"

#include <algorithm>
#include <memory>

namespace warpmeter::inline policy {

std::string apply_request(std::string_view request, RunningPolicy& policy, const std::stop_token& stop) {
  const std::size_t end = std::min(request.find('\n'), request.size());
  // With the end of the first line, which counts as one. As of what is set, whoever compiles it has a share in it.
  const auto text = std::make_shared<const std::string>(request.substr(end));
  const auto set = std::make_shared<GroupId>(0);
  std::string_view word = request.substr(0, end);
  if (word.ends_with('\r')) word.remove_suffix(1);
  if (word == "set_memory") {
    policy.change([=](PolicyMemory& memory) { *set = memory.set_memory(*text); }, stop);
    return "group " + std::to_string(*set) + " set";
  }
  if (word == "set_init") {
    const auto change = [=](PolicyMemory& memory) {
      memory.set_init(*text);
      *set = memory.init().front().to;
    };
    policy.change(change, stop);
    return "an init rule set, to " + (is_end(*set) ? "" : std::string("group ")) + group_word(*set);
  }
  if (word == "replace") {
    policy.replace([=] { return PolicyMemory::load(*text); }, stop);
    return "replaced";
  }
  throw PolicyError("the first line is set_memory, set_init or replace");
}

}  // namespace warpmeter::inline policy
