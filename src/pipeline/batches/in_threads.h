// The same work in several threads at once.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace warpmeter::inline pipeline {

// Calls `work()` in so many threads, this one among them. Throws the first of what they threw, when all have ended.
template <class Work>
void in_threads(unsigned threads, const Work& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(guarded);
    guarded();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace warpmeter::inline pipeline
