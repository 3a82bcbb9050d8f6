// The same work in several threads at once, which all end before the call does.
//
// Threads: the caller's is one of them, the first. Errors: the first that a thread threw is thrown again when all have
// ended, also where no more threads could be started (std::system_error) or memory was lacking in one of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace warpmeter::inline base {

// Calls `work(i)` for each i below `threads`, each in a thread of its own. Where one of them fails, `failed()` is
// called at once, in that thread and while std::current_exception() is what it threw: work that waits for other threads
// has to be woken there. `failed` may be called by several threads at a time.
template <class Work, class Failed>
void in_threads(unsigned threads, const Work& work, const Failed& failed) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto note = [&] {
    {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    failed();
  };
  const auto guarded = [&](unsigned i) {
    try {
      work(i);
    } catch (...) {
      note();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(guarded, i);
    } catch (...) {  // no more threads: those that run must not wait for the others
      note();
    }
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

template <class Work>
void in_threads(unsigned threads, const Work& work) {
  in_threads(threads, work, [] {});
}

// Calls `work(i)` for each i below `count`, in order and by at most `threads` threads, each of which takes the next
// when it is done with one. After a failure no more are begun.
template <class Work>
void for_each_index(std::size_t count, unsigned threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  in_threads(
      static_cast<unsigned>(std::min<std::size_t>(threads, count)),
      [&](unsigned) {
        for (std::size_t i = next++; i < count; i = next++) work(i);
      },
      [&] { next = count; });
}

}  // namespace warpmeter::inline base
