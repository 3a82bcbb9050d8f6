#include "policy/rounds/running_policy.h"

#include <utility>

namespace warpmeter::inline policy {

RunningPolicy::RunningPolicy(PolicyMemory memory, bool fuse)
    : fuse_(fuse), current_(std::make_shared<CompiledPolicy>(std::move(memory), fuse)) {}

std::shared_ptr<const CompiledPolicy> RunningPolicy::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void RunningPolicy::replace(PolicyMemory memory) {
  const std::lock_guard one_at_a_time(changes_);
  take(std::move(memory));
}

void RunningPolicy::change(const std::function<void(PolicyMemory&)>& how) {
  const std::lock_guard one_at_a_time(changes_);
  PolicyMemory memory = current()->memory();
  how(memory);
  take(std::move(memory));
}

void RunningPolicy::set_init(InitRule rule) {
  change([&](PolicyMemory& memory) { memory.set_init(std::move(rule)); });
}

void RunningPolicy::set_memory(Group group) {
  change([&](PolicyMemory& memory) { memory.set_memory(std::move(group)); });
}

// REQUIRES: changes_ is held.
void RunningPolicy::take(PolicyMemory memory) {
  const std::shared_ptr<const CompiledPolicy> before = current();
  std::shared_ptr<const CompiledPolicy> next;
  try {
    next = std::make_shared<CompiledPolicy>(std::move(memory), fuse_, before.get());
  } catch (const PatternError& error) {  // of several groups together
    throw PolicyError(error.what());
  }
  {
    const std::lock_guard lock(mutex_);
    current_ = std::move(next);
  }
  generation_.fetch_add(1, std::memory_order_release);
}

}  // namespace warpmeter::inline policy
