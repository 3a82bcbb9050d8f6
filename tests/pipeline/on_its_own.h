// A call on a thread of its own, to see whether it waits.
#pragma once

#include <chrono>
#include <future>
#include <type_traits>

namespace warpmeter::test {

// That it waits is looked at for a moment only: a call that should not have waited is sure to be seen to return, one
// that should have is sure not to be mistaken.
template <class Call>
class OnItsOwn {
 public:
  explicit OnItsOwn(Call call) : result_(std::async(std::launch::async, call)) {}
  bool waits() const { return result_.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout; }
  auto get() { return result_.get(); }

 private:
  std::future<std::invoke_result_t<Call>> result_;
};

}  // namespace warpmeter::test
