// SIGHUP to a capture with --policy: its file is read again, and takes the place of the policy in force, or one line
// says why it does not.
//
// Threads: ask() by one; counts() by any. The file is read and compiled by a thread of its own: that may take a second,
// and nothing waits for it, nor does its end.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "policy/rounds/running_policy.h"

namespace warpmeter::inline command {

class PolicyReload {
 public:
  struct Counts {
    std::uint64_t reloads = 0, errors = 0;
  };

  PolicyReload(std::string file, std::shared_ptr<RunningPolicy> policy, bool quiet);
  ~PolicyReload();

  // Asked again before it has begun, it is done once.
  void ask();

  Counts counts() const { return {reloads_, errors_}; }

 private:
  void work(const std::stop_token& stop);
  void reload(const std::stop_token& stop);

  const std::string file_;
  const std::shared_ptr<RunningPolicy> policy_;
  const bool quiet_;
  std::atomic<std::uint64_t> reloads_ = 0, errors_ = 0;
  std::mutex mutex_;
  std::condition_variable_any is_asked_;
  bool asked_ = false;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace warpmeter::inline command
