// What the scheduler costs alone: threads that ask it for tasks, in which nothing is done, or as much as metering a
// batch takes.
//
//     scheduler_bench [--smoke]
//
// With one thread nobody else wants the lock: the time a batch is that for which it is held, and a little more. With
// several and empty tasks the lock is all there is: more batches a second it can hand out to nobody. With work in the
// tasks: how much longer they take than without a scheduler.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "capture/scheduler.h"

namespace {

using namespace warpmeter;
using Clock = std::chrono::steady_clock;

struct Shape {
  unsigned threads, consumers;
  double work_us;  // a batch, half of it in reading and half shared by the consumers
  std::uint64_t batches;
};

struct Measured {
  double seconds, tasks;
};

void work_for(std::chrono::nanoseconds time) {
  if (time.count() == 0) return;
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
  }
}

std::chrono::nanoseconds microseconds(double us) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(us * 1e3));
}

Measured run(const Shape& shape) {
  Scheduler scheduler(2 * shape.threads - 1, shape.threads, shape.consumers);
  std::uint64_t claimed = 0;  // one at a time
  std::atomic<std::uint64_t> tasks = 0;
  const auto work = [&](unsigned worker) {
    std::uint64_t mine = 0;
    for (Task task = scheduler.next(worker); task.kind != Task::Kind::none; task = scheduler.next(worker, task)) {
      ++mine;
      switch (task.kind) {
        case Task::Kind::read:
          if (claimed == shape.batches) {
            scheduler.claimed(false);
            break;
          }
          ++claimed;
          scheduler.claimed(true);
          work_for(microseconds(shape.work_us / 2));
          break;
        case Task::Kind::commit: scheduler.committed(task.first); break;
        default:
          work_for(microseconds(shape.work_us / 2 / shape.consumers * static_cast<double>(task.last - task.first)));
      }
    }
    tasks += mine;
  };
  const auto start = Clock::now();
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < shape.threads; ++i) helpers.emplace_back(work, i);
    work(0);
  }
  return {std::chrono::duration<double>(Clock::now() - start).count(), static_cast<double>(tasks)};
}

// The best of a few: other programs run beside this one.
Measured best_of(const Shape& shape, int rounds) {
  Measured best = run(shape);
  for (int i = 1; i < rounds; ++i) {
    const Measured next = run(shape);
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

void print(const Shape& shape, int rounds) {
  const Measured m = best_of(shape, rounds);
  const auto batches = static_cast<double>(shape.batches);
  const double ns = m.seconds * 1e9 / batches;
  std::printf("| %u | %u | %.0f | %.0f | %.2f | %.0f | %.2f |\n", shape.threads, shape.consumers, shape.work_us,
              batches / m.seconds, m.tasks / m.seconds / 1e6, ns, ns * shape.threads / 1e3 - shape.work_us);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const int rounds = smoke ? 1 : 7;
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::printf(
      "| threads | consumers | work, us a batch | batches/s | M tasks/s | ns a batch | all threads' time beyond the "
      "work, us a batch |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  std::vector<unsigned> threads = {1};
  for (unsigned t = 2; t <= cores; t *= 2) threads.push_back(t);
  for (const unsigned t : threads) {
    for (const unsigned consumers : {1u, 16u}) {
      print({t, consumers, 0, smoke ? 500u : 200'000u}, rounds);
      print({t, consumers, 500, smoke ? 20u : 2000u}, rounds);
    }
  }
}
