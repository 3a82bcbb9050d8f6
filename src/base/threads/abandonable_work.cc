#include "base/threads/abandonable_work.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "core/thread_annotations.h"

namespace warpmeter::inline base {
namespace {

constexpr int kLowestPriority = 19;

std::atomic<unsigned> abandoned = 0;

// Of the thread that works and of who waits for it, until both have let it go.
struct Shared {
  std::function<void()> work;  // of the thread
  std::mutex mutex;
  std::condition_variable_any changed;
  pid_t thread WARPMETER_GUARDED_BY(mutex) = 0;
  bool is_over WARPMETER_GUARDED_BY(mutex) = false;
  bool is_alone WARPMETER_GUARDED_BY(mutex) = false;
  std::exception_ptr error WARPMETER_GUARDED_BY(mutex);
};

void work_on(std::shared_ptr<Shared> shared) {
  {
    const std::lock_guard lock(shared->mutex);
    shared->thread = gettid();
    if (shared->is_alone) setpriority(PRIO_PROCESS, 0, kLowestPriority);
  }
  std::exception_ptr error;
  try {
    shared->work();
  } catch (...) {
    error = std::current_exception();
  }
  shared->work = nullptr;
  bool is_alone = false;
  {
    const std::lock_guard lock(shared->mutex);
    shared->is_over = true;
    is_alone = shared->is_alone;
    if (!is_alone) shared->error = std::move(error);
    shared->changed.notify_all();
  }
  error = nullptr;
  shared.reset();
  if (is_alone) --abandoned;
}

}  // namespace

WorkEnd run_or_abandon(std::function<void()> work, std::chrono::milliseconds longest, const std::stop_token& stop) {
  const auto shared = std::make_shared<Shared>();
  shared->work = std::move(work);
  std::thread thread(work_on, shared);
  std::unique_lock lock(shared->mutex);
  if (shared->changed.wait_for(lock, stop, longest, [&] { return shared->is_over; })) {
    const std::exception_ptr error = std::move(shared->error);
    lock.unlock();
    thread.join();
    if (error) std::rethrow_exception(error);
    return WorkEnd::done;
  }
  shared->is_alone = true;
  ++abandoned;
  if (shared->thread != 0)
    setpriority(PRIO_PROCESS, static_cast<id_t>(shared->thread), kLowestPriority);  // on Linux, of it
  lock.unlock();
  thread.detach();
  return stop.stop_requested() ? WorkEnd::stopped : WorkEnd::late;
}

unsigned abandoned_work() { return abandoned; }

}  // namespace warpmeter::inline base
