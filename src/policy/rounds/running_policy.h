// The policy in force while packets are metered, which may be replaced meanwhile: by a whole file, or group by group.
//
// A change is checked and compiled beside the one in force, and takes its place whole or not at all. Who runs rounds
// asks for the generation between two batches, and takes over what has come (PolicyRounds::take_over).
//
// Changes are made one at a time, and patterns may take minutes to compile: a change that is not ready in time is
// refused, and others go on (abandonable_work.h).
//
// Outputs have their columns when a run begins: a policy with a column of fields that the first one does not have is
// refused. Labels keep their numbers for as long as this lives, so that connections can keep theirs.
//
// Source: docs/policies.md, "While a capture runs".
//
// Threads: any. Errors: PolicyError; the policy in force stays.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "core/thread_annotations.h"
#include "policy/memory/policy_memory.h"
#include "policy/rounds/compiled_policy.h"

namespace warpmeter::inline policy {

class RunningPolicy {
 public:
  static constexpr std::chrono::seconds kMostTime{10};  // that a change takes
  static constexpr unsigned kMostAbandoned = 2;         // changes that took longer and are still being compiled

  RunningPolicy(PolicyMemory memory, bool fuse, std::chrono::milliseconds most_time = kMostTime);

  std::shared_ptr<const CompiledPolicy> current() const;
  // Grows with each change, once current() has it: cheap to ask for.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Of a copy of the one in force, while no other change is made; what `how` throws, this throws. `how` runs on a
  // thread that may outlive this and its caller: it owns or shares what it refers to. `stop`: nobody waits any more.
  void change(std::function<void(PolicyMemory&)> how, const std::stop_token& stop = {});
  // By what `load` gives, in the same way. Refuses one without groups and init rules: a text that is empty by mistake.
  void replace(std::function<PolicyMemory()> load, const std::stop_token& stop = {});
  void replace(PolicyMemory memory);
  // As PolicyMemory::set_init() and set_memory().
  void set_init(InitRule rule);
  void set_memory(Group group);

 private:
  class Turn;

  const bool fuse_;
  const std::chrono::milliseconds most_time_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_changing_ WARPMETER_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const CompiledPolicy> current_ WARPMETER_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> generation_ = 0;
};

}  // namespace warpmeter::inline policy
