#include "policy/rounds/running_policy.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/threads/abandonable_work.h"

namespace warpmeter::inline policy {
namespace {

[[noreturn]] void refuse_at_the_end() { throw PolicyError("no change any more: the run ends"); }

std::string too_long(std::chrono::milliseconds most) {
  return "not ready after " + std::to_string(std::chrono::ceil<std::chrono::seconds>(most).count()) +
         " s, the most that patterns of a change may take to compile: fewer or simpler ones";
}

std::set<std::string_view> patterns_of(const PolicyMemory& memory) {
  std::set<std::string_view> patterns;
  for (const auto& [id, group] : memory.groups()) {
    for (const Rule& rule : group.rules) {
      patterns.insert(rule.payload.begin(), rule.payload.end());
      patterns.insert(rule.stream.begin(), rule.stream.end());
    }
  }
  return patterns;
}

void refuse_new_patterns(const PolicyMemory& memory, const PolicyMemory& before) {
  if (std::ranges::includes(patterns_of(before), patterns_of(memory))) return;
  throw PolicyError(std::to_string(RunningPolicy::kMostAbandoned) +
                    " changes that took too long are still being compiled: no new patterns before one of them is over");
}

std::shared_ptr<const CompiledPolicy> compiled(PolicyMemory memory, bool fuse, const CompiledPolicy& before) {
  try {
    return std::make_shared<CompiledPolicy>(std::move(memory), fuse, &before);
  } catch (const PatternError& error) {  // of several groups together
    throw PolicyError(error.what());
  }
}

}  // namespace

// That of one who makes a change, as long as it lives.
class RunningPolicy::Turn {
 public:
  Turn(RunningPolicy& policy, const std::stop_token& stop) : policy_(policy) {
    std::unique_lock lock(policy_.mutex_);
    if (!policy_.changed_.wait(lock, stop, [this] { return !policy_.is_changing_; })) refuse_at_the_end();
    policy_.is_changing_ = true;
  }
  ~Turn() {
    const std::lock_guard lock(policy_.mutex_);
    policy_.is_changing_ = false;
    policy_.changed_.notify_all();  // one of them may wait no more
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  RunningPolicy& policy_;
};

RunningPolicy::RunningPolicy(PolicyMemory memory, bool fuse, std::chrono::milliseconds most_time)
    : fuse_(fuse), most_time_(most_time), current_(std::make_shared<CompiledPolicy>(std::move(memory), fuse)) {}

std::shared_ptr<const CompiledPolicy> RunningPolicy::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void RunningPolicy::change(std::function<void(PolicyMemory&)> how, const std::stop_token& stop) {
  const Turn turn(*this, stop);
  const bool takes_patterns = abandoned_work() < kMostAbandoned;
  const auto next = std::make_shared<std::shared_ptr<const CompiledPolicy>>();
  auto work = [how = std::move(how), before = current(), fuse = fuse_, takes_patterns, next] {
    PolicyMemory memory = before->memory();
    how(memory);
    if (!takes_patterns) refuse_new_patterns(memory, before->memory());
    *next = compiled(std::move(memory), fuse, *before);
  };
  switch (run_or_abandon(std::move(work), most_time_, stop)) {
    case WorkEnd::stopped: refuse_at_the_end();
    case WorkEnd::late: throw PolicyError(too_long(most_time_));
    case WorkEnd::done: break;
  }
  {
    const std::lock_guard lock(mutex_);
    current_ = std::move(*next);
  }
  generation_.fetch_add(1, std::memory_order_release);
}

void RunningPolicy::replace(std::function<PolicyMemory()> load, const std::stop_token& stop) {
  const auto change_whole = [load = std::move(load)](PolicyMemory& memory) {
    memory = load();
    if (memory.groups().empty() && memory.init().empty()) {
      throw PolicyError("neither groups nor init rules: that takes no policy's place");
    }
  };
  change(change_whole, stop);
}

void RunningPolicy::replace(PolicyMemory next) {
  replace([next = std::move(next)] { return next; });
}

void RunningPolicy::set_init(InitRule rule) {
  change([rule = std::move(rule)](PolicyMemory& memory) { memory.set_init(rule); });
}

void RunningPolicy::set_memory(Group group) {
  change([group = std::move(group)](PolicyMemory& memory) { memory.set_memory(group); });
}

}  // namespace warpmeter::inline policy
