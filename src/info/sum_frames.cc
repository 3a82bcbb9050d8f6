// Every thread claims a stretch, walks it and adds up its frames. Whoever has done so with the oldest stretch that is
// not settled settles it and all behind it that are ready; nobody waits for a turn but where all stretches are in use.
#include "info/sum_frames.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace warpmeter {
namespace {

constexpr std::size_t kFramesPerStretch = 4096;  // whose descriptions stay in a core's cache
constexpr unsigned kStretchesPerThread = 4;

class FrameSummer {
 public:
  FrameSummer(Trace& trace, unsigned threads) : trace_(trace), slots_(kStretchesPerThread * threads) {}

  void work() {
    try {
      FileWindow window;
      for (Slot* slot = claim(); slot; slot = claim()) {
        walk_and_sum(*slot, window);
        settle_what_is_ready(*slot, window);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      ended_ = true;
      changed_.notify_all();
    }
  }

  FrameSums result() {
    if (failure_) std::rethrow_exception(failure_);
    return total_;
  }

 private:
  struct Slot {
    Stretch stretch;
    FrameSums sums;
    bool walked = false;
  };

  Slot& slot(std::uint64_t number) { return slots_[number % slots_.size()]; }

  static void walk_and_sum(Slot& slot, FileWindow& window) {
    slot.sums = {};
    while (Trace::walk(slot.stretch, window)) slot.sums.add(slot.stretch.block);
  }

  // Null: there is nothing more.
  Slot* claim() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || (!claiming_ && claimed_ - settled_ < slots_.size()); });
    if (ended_) return nullptr;
    claiming_ = true;
    Slot& mine = slot(claimed_);
    lock.unlock();
    const bool more = trace_.claim(mine.stretch, {.frames = kFramesPerStretch});
    lock.lock();
    claiming_ = false;
    mine.walked = false;
    if (more) ++claimed_;
    else ended_ = true;
    changed_.notify_all();
    return more ? &mine : nullptr;
  }

  void settle_what_is_ready(Slot& walked, FileWindow& window) {
    std::unique_lock lock(mutex_);
    walked.walked = true;
    if (settling_) return;  // who does will come to it
    settling_ = true;
    while (settled_ < claimed_ && slot(settled_).walked) {
      Slot& oldest = slot(settled_);
      lock.unlock();
      settle(oldest, window);
      lock.lock();
      ++settled_;
      changed_.notify_all();
    }
    settling_ = false;
  }

  void settle(Slot& oldest, FileWindow& window) {
    if (!trace_.settle(oldest.stretch, window)) walk_and_sum(oldest, window);
    total_.append(oldest.sums);
  }

  Trace& trace_;
  std::mutex mutex_;  // of what follows, and of `walked` in the slots
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::uint64_t claimed_ = 0, settled_ = 0;  // stretches
  bool claiming_ = false, settling_ = false, ended_ = false;
  FrameSums total_;  // of who settles
  std::exception_ptr failure_;
};

}  // namespace

FrameSums sum_frames(Trace& trace, unsigned threads) {
  FrameSummer summer(trace, threads);
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back([&summer] { summer.work(); });
    summer.work();
  }
  return summer.result();
}

}  // namespace warpmeter
