#include "command/live/policy_reload.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "base/words/printable.h"

namespace warpmeter::inline command {

PolicyReload::PolicyReload(std::string file, std::shared_ptr<RunningPolicy> policy, bool quiet)
    : file_(std::move(file)),
      policy_(std::move(policy)),
      quiet_(quiet),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

PolicyReload::~PolicyReload() = default;

void PolicyReload::ask() {
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
  }
  is_asked_.notify_one();
}

void PolicyReload::work(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!is_asked_.wait(lock, stop, [this] { return asked_; })) return;
    asked_ = false;
    lock.unlock();
    reload(stop);
  }
}

void PolicyReload::reload(const std::stop_token& stop) {
  try {
    policy_->replace([file = file_] { return PolicyMemory::load_regular_file(file); }, stop);
  } catch (const std::exception& error) {
    ++errors_;
    const std::string why = dynamic_cast<const PolicyError*>(&error) ? file_ + ": " + error.what() : error.what();
    warn(why + "; the policy stays as it was");
    return;
  }
  ++reloads_;
  if (quiet_) return;
  const std::string groups = human_number_of(policy_->current()->groups().size(), "group");
  say(fmt::format("warpmeter: {}: read again, {} in force\n", printable(file_), groups));
}

}  // namespace warpmeter::inline command
