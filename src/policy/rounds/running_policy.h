// The policy in force while packets are metered, which may be replaced meanwhile: by a whole file, or group by group.
//
// A change is checked and compiled beside the one in force, and takes its place whole or not at all. Who runs rounds
// asks for the generation between two batches, and takes over what has come (PolicyRounds::take_over).
//
// Outputs have their columns when a run begins: a policy with a column of fields that the first one does not have is
// refused. Labels keep their numbers for as long as this lives, so that connections can keep theirs.
//
// Source: docs/policies.md, "While a capture runs".
//
// Threads: any. Errors: PolicyError; the policy in force stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "core/thread_annotations.h"
#include "policy/memory/policy_memory.h"
#include "policy/rounds/compiled_policy.h"

namespace warpmeter::inline policy {

class RunningPolicy {
 public:
  RunningPolicy(PolicyMemory memory, bool fuse);

  std::shared_ptr<const CompiledPolicy> current() const;
  // Grows with each change, once current() has it: cheap to ask for.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  void replace(PolicyMemory memory);
  // Of a copy of the one in force, while no other change is made; what `how` throws, this throws.
  void change(const std::function<void(PolicyMemory&)>& how);
  // As PolicyMemory::set_init() and set_memory().
  void set_init(InitRule rule);
  void set_memory(Group group);

 private:
  void take(PolicyMemory memory);

  const bool fuse_;
  std::mutex changes_;  // held by who makes one, as long as that takes
  mutable std::mutex mutex_;
  std::shared_ptr<const CompiledPolicy> current_ WARPMETER_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> generation_ = 0;
};

}  // namespace warpmeter::inline policy
