// A call on a thread of its own, to see whether it waits.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <type_traits>
#include <utility>

namespace warpmeter::test {

// That it waits is looked at for a moment only: a call that should not have waited is sure to be seen to return, one
// that should have is sure not to be mistaken.
template <class Result>
class OnItsOwn {
 public:
  // Not any callable: std::async takes a second to compile, for each.
  explicit OnItsOwn(std::function<Result()> call) : result_(std::async(std::launch::async, std::move(call))) {}
  bool waits() const { return result_.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout; }
  auto get() { return result_.get(); }

 private:
  std::future<Result> result_;
};

template <class Call>
OnItsOwn(Call) -> OnItsOwn<std::invoke_result_t<Call>>;

}  // namespace warpmeter::test
