#include "policy/memory/policy_memory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/files/descriptor.h"
#include "policy/memory/policy_file.h"
#include "warpmeter/status.h"

namespace warpmeter {

extern const std::string_view kStockPolicy;  // data/policies/stock.toml

}  // namespace warpmeter

namespace warpmeter::inline policy {
namespace {

// The one group that all packets of this one come to next; kOut: there is none. A rule that is final may lead
// elsewhere: its packet is the last of the connection that any group decides about.
GroupId only_follower(const Group& group) {
  const GroupId next = group.mismatch;
  const auto leads_there = [&](const Rule& rule) { return rule.final || rule.next.value_or(group.match) == next; };
  return !is_end(next) && std::ranges::all_of(group.rules, leads_there) ? next : kOut;
}

constexpr std::size_t kMostAnchored = 18;  // of a chain

std::size_t anchored_patterns(const Group& group) {
  std::size_t count = 0;
  for (const Rule& rule : group.rules) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(rule.payload, [](const std::string& pattern) { return pattern.starts_with('^'); }));
  }
  return count;
}

// Of each group, how many groups lead there, the initial table counted as one each time.
std::map<GroupId, unsigned> ways_into(const PolicyMemory& memory) {
  std::map<GroupId, unsigned> ways;
  ++ways[memory.init_default()];
  for (const InitRule& rule : memory.init()) ++ways[rule.to];
  const std::vector<GroupId> never = memory.unreachable();
  for (const auto& [id, group] : memory.groups()) {
    if (std::binary_search(never.begin(), never.end(), id)) continue;
    const std::vector<GroupId> followers = group.followers();
    for (const GroupId next : std::set<GroupId>(followers.begin(), followers.end())) ++ways[next];
  }
  return ways;
}

constexpr GroupId kFromInit = kDrop + 1, kFromGroups = kDrop + 2;  // whence a walk comes that comes from no group

std::string place_word(GroupId id) {
  if (id == kFromInit) return "init";
  return id == kFromGroups ? "groups" : "group " + std::to_string(id);
}

// Groups depth first, each after all that may follow it, with a stack of its own: paths may be as long as there are
// groups.
class GraphWalk {
 public:
  explicit GraphWalk(const std::map<GroupId, Group>& groups) : groups_(groups) {}

  void visit(GroupId id, GroupId from) {
    enter(id, from);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next < step.followers.size()) {
        enter(step.followers[step.next++], step.id);
        continue;
      }
      states_[step.id] = State::done;
      done_.push_back(step.id);
      path_.pop_back();
    }
  }

  // The order in which they were done.
  std::vector<GroupId> take() { return std::move(done_); }

 private:
  enum class State : std::uint8_t { on_path, done };
  struct Step {
    GroupId id;
    std::vector<GroupId> followers;
    std::size_t next = 0;
  };

  void enter(GroupId id, GroupId from) {
    if (is_end(id)) return;
    const auto group = groups_.find(id);
    if (group == groups_.end()) throw PolicyError(place_word(from) + ": there is no group " + std::to_string(id));
    const auto [state, is_new] = states_.emplace(id, State::on_path);
    if (!is_new && state->second == State::on_path) throw PolicyError(cycle_words(id));
    if (is_new) path_.push_back({id, group->second.followers()});
  }

  // Of the path from `id` on back to it; the middle of a long one is left out.
  std::string cycle_words(GroupId id) const {
    constexpr std::size_t kFirst = 16, kLast = 4;
    const auto begin = std::find_if(path_.begin(), path_.end(), [id](const Step& step) { return step.id == id; });
    const auto size = static_cast<std::size_t>(path_.end() - begin);
    std::string words = "cycle: ";
    for (std::size_t i = 0; i < size; ++i) {
      const bool left_out = size > kFirst + kLast + 1 && i >= kFirst && i < size - kLast;
      if (!left_out) words += std::to_string(begin[static_cast<std::ptrdiff_t>(i)].id) + " -> ";
      else if (i == kFirst) words += "... -> ";
    }
    return words + std::to_string(id);
  }

  const std::map<GroupId, Group>& groups_;
  std::map<GroupId, State> states_;
  std::vector<Step> path_;
  std::vector<GroupId> done_;
};

void check_id(GroupId id) {
  if (id == kOut || id >= kDrop) throw PolicyError("group: id is 1 to 65535");
}

std::string read_policy(const std::string& path, bool regular) {
  // A named pipe may be waited for until a signal comes.
  const auto failed = [&path] {
    if (errno == EINTR) return Error(path + ": interrupted", ExitStatus::interrupted);
    return Error(path + ": cannot be read: " + std::strerror(errno));
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0)));
  struct stat status {};
  if (!file || fstat(file.get(), &status) < 0) throw failed();
  if (regular && !S_ISREG(status.st_mode)) throw Error(path + ": cannot be read: no regular file");
  std::string text;
  char part[1 << 16];
  while (text.size() <= kMostPolicyBytes) {
    const ssize_t got = read(file.get(), part, sizeof part);
    if (got == 0) return text;
    if (got < 0) throw failed();
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;  // which is refused
}

GroupNames names_of(const std::map<GroupId, Group>& groups) {
  GroupNames names;
  for (const auto& [id, group] : groups) {
    if (group.name != std::to_string(id)) names.emplace(group.name, id);
  }
  return names;
}

// Of groups that came one by one.
void check_number_of_patterns(const std::map<GroupId, Group>& groups) {
  std::size_t patterns = 0;
  for (const auto& [id, group] : groups) {
    for (const Rule& rule : group.rules) patterns += rule.payload.size() + rule.stream.size();
  }
  if (patterns > kMostPatterns) throw PolicyError("more than " + std::to_string(kMostPatterns) + " patterns");
}

}  // namespace

std::string group_word(GroupId id) { return id == kOut ? "OUT" : id == kDrop ? "DROP" : std::to_string(id); }

std::vector<GroupId> Group::followers() const {
  std::vector<GroupId> all = {match, mismatch};
  for (const Rule& rule : rules) {
    if (rule.next) all.push_back(*rule.next);
  }
  return all;
}

PolicyMemory PolicyMemory::load(std::string_view text) {
  ParsedPolicy parsed = parse_policy(text);
  PolicyMemory memory;
  memory.groups_ = std::move(parsed.groups);
  memory.init_ = std::move(parsed.init);
  memory.default_ = parsed.init_default;
  memory.max_rounds_ = parsed.max_rounds;
  memory.remarks_ = std::move(parsed.remarks);
  memory.check();
  return memory;
}

PolicyMemory PolicyMemory::load_file(const std::string& path) {
  if (path == "-") throw Error("a policy is not read from standard input: name a file", ExitStatus::usage);
  return path == kStockPolicyWord ? load(kStockPolicy) : load(read_policy(path, false));
}

PolicyMemory PolicyMemory::load_regular_file(const std::string& path) {
  return path == kStockPolicyWord ? load(kStockPolicy) : load(read_policy(path, true));
}

void PolicyMemory::set_init(std::string_view rule) { set_init(parse_init_rule(rule, names_of(groups_))); }

void PolicyMemory::set_init(InitRule rule) {
  init_.insert(init_.begin(), std::move(rule));
  try {
    check();
  } catch (...) {
    init_.erase(init_.begin());
    throw;
  }
}

GroupId PolicyMemory::set_memory(std::string_view group) {
  Group parsed = parse_group(group, names_of(groups_));
  const GroupId id = parsed.id;
  set_memory(std::move(parsed));
  return id;
}

void PolicyMemory::set_memory(Group group) {
  const GroupId id = group.id;
  check_id(id);
  if (group.rules.empty()) throw PolicyError("group " + std::to_string(id) + ": no rules");
  if (group.name.empty()) group.name = std::to_string(id);
  std::optional<Group> before;
  if (const auto old = groups_.find(id); old != groups_.end()) before = std::move(old->second);
  groups_[id] = std::move(group);
  try {
    check();
  } catch (...) {
    if (before) groups_[id] = std::move(*before);
    else groups_.erase(id);
    throw;
  }
}

std::vector<GroupId> PolicyMemory::order() const {
  GraphWalk walk(groups_);
  for (const InitRule& rule : init_) walk.visit(rule.to, kFromInit);
  walk.visit(default_, kFromInit);
  for (const auto& [id, group] : groups_) walk.visit(id, kFromGroups);
  std::vector<GroupId> order = walk.take();
  std::reverse(order.begin(), order.end());
  return order;
}

std::map<GroupId, unsigned> PolicyMemory::longest() const {
  std::map<GroupId, unsigned> rounds;
  const std::vector<GroupId> order = this->order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    unsigned most = 0;
    for (const GroupId next : groups_.at(*id).followers()) {
      if (!is_end(next)) most = std::max(most, rounds.at(next));
    }
    rounds[*id] = most + 1;
  }
  return rounds;
}

unsigned PolicyMemory::longest_path() const {
  const std::map<GroupId, unsigned> rounds = longest();
  unsigned most = is_end(default_) ? 0 : rounds.at(default_);
  for (const InitRule& rule : init_) {
    if (!is_end(rule.to)) most = std::max(most, rounds.at(rule.to));
  }
  return most;
}

void PolicyMemory::check() const {
  check_number_of_patterns(groups_);
  const std::map<GroupId, unsigned> rounds = longest();
  const auto check_start = [&](GroupId id) {
    if (is_end(id) || rounds.at(id) <= max_rounds_) return;
    throw PolicyError("group " + std::to_string(id) + ": a path of " + std::to_string(rounds.at(id)) +
                      " rounds, max_rounds is " + std::to_string(max_rounds_));
  };
  for (const InitRule& rule : init_) check_start(rule.to);
  check_start(default_);
}

std::vector<GroupId> PolicyMemory::unreachable() const {
  std::set<GroupId> seen;
  std::vector<GroupId> todo = {default_}, never;
  for (const InitRule& rule : init_) todo.push_back(rule.to);
  while (!todo.empty()) {
    const GroupId id = todo.back();
    todo.pop_back();
    if (is_end(id) || !seen.insert(id).second) continue;
    for (const GroupId next : groups_.at(id).followers()) todo.push_back(next);
  }
  for (const auto& [id, group] : groups_) {
    if (!seen.contains(id)) never.push_back(id);
  }
  return never;
}

std::vector<std::string> PolicyMemory::field_columns() const {
  std::set<std::string> columns;
  for (const auto& [id, group] : groups_) {
    for (const Rule& rule : group.rules) {
      for (const RuleField& field : rule.fields) columns.insert(field.column);
    }
  }
  return {columns.begin(), columns.end()};
}

std::vector<std::vector<GroupId>> merged_groups(const PolicyMemory& memory) {
  const std::map<GroupId, unsigned> ways = ways_into(memory);
  const std::vector<GroupId> never = memory.unreachable();
  std::set<GroupId> taken;
  std::vector<std::vector<GroupId>> chains;
  for (GroupId id : memory.order()) {
    if (taken.contains(id)) continue;
    chains.emplace_back();
    const bool reached = !std::binary_search(never.begin(), never.end(), id);
    std::size_t anchored = anchored_patterns(memory.groups().at(id));
    while (true) {
      taken.insert(id);
      chains.back().push_back(id);
      id = only_follower(memory.groups().at(id));
      if (!reached || id == kOut || ways.at(id) != 1) break;
      anchored += anchored_patterns(memory.groups().at(id));
      if (anchored > kMostAnchored) break;
    }
  }
  return chains;
}

}  // namespace warpmeter::inline policy
