// A call on a thread of its own, to see whether it waits.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <type_traits>
#include <utility>

namespace warpmeter::test {

// That it waits is looked at for a moment only: a call that should not have waited is sure to be seen to return, one
// that should have is sure not to be mistaken.
template <class Result>
class OnItsOwn {
 public:
  // Not any callable: std::async takes a second to compile, for each.
  explicit OnItsOwn(std::function<Result()> call)
      : result_(std::async(std::launch::async, [this, call = std::move(call)] {
          thread_ = gettid();
          return call();
        })) {}

  // It does not come back. On a busy machine it may not even have come to the call: so that is waited for.
  bool waits() const {
    using std::chrono::milliseconds;
    for (int asleep = 0, tries = 0; asleep < 3 && tries < kMostTries; ++tries) {
      if (result_.wait_for(milliseconds(1)) == std::future_status::ready) return false;
      asleep = is_asleep() ? asleep + 1 : 0;
    }
    return result_.wait_for(milliseconds(20)) == std::future_status::timeout;
  }
  auto get() { return result_.get(); }

 private:
  static constexpr int kMostTries = 10'000;

  // proc(5): the state follows the name, which is in parentheses.
  bool is_asleep() const {
    if (thread_ == 0) return false;
    std::ifstream file("/proc/self/task/" + std::to_string(thread_) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(") ");
    return name_end != line.npos && line.substr(name_end + 2, 1) == "S";
  }

  std::atomic<pid_t> thread_ = 0;
  std::future<Result> result_;
};

template <class Call>
OnItsOwn(Call) -> OnItsOwn<std::invoke_result_t<Call>>;

}  // namespace warpmeter::test
