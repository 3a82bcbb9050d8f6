// What the scheduler costs alone: threads that ask it for tasks in which nothing is done.
//
//     scheduler_bench [--smoke]
//
// With one thread nobody else wants the lock: a batch takes as long as the lock is held for it, and a little more. With
// several the lock is all there is, and nobody is ever handed more batches a second. What that means for metering:
// results/2026-11-23-scheduler-cpu.md.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "pipeline/batches/scheduler.h"

namespace {

using namespace warpmeter;
using Clock = std::chrono::steady_clock;

struct Shape {
  unsigned threads, consumers;
  std::uint64_t batches;
};

struct Measured {
  double seconds = 0, cpu_seconds = 0, tasks = 0;
};

// Of this thread: other programs run beside this one.
std::int64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Measured run(const Shape& shape) {
  Scheduler scheduler(2 * shape.threads - 1, shape.threads, shape.consumers);
  std::uint64_t claimed = 0;  // one at a time
  std::atomic<std::uint64_t> tasks = 0;
  std::atomic<std::int64_t> cpu = 0;
  const auto work = [&](unsigned worker) {
    std::uint64_t mine = 0;
    const std::int64_t cpu_before = cpu_ns();
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
          break;
        case Task::Kind::commit: scheduler.committed(task.first); break;
        default: break;
      }
    }
    tasks += mine;
    cpu += cpu_ns() - cpu_before;
  };
  const auto start = Clock::now();
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < shape.threads; ++i) helpers.emplace_back(work, i);
    work(0);
  }
  const std::chrono::duration<double> wall = Clock::now() - start;
  return {wall.count(), static_cast<double>(cpu) / 1e9, static_cast<double>(tasks)};
}

// The least of a few, each: chance only adds.
Measured least_of(const Shape& shape, int rounds) {
  Measured least = run(shape);
  for (int i = 1; i < rounds; ++i) {
    const Measured next = run(shape);
    least.seconds = std::min(least.seconds, next.seconds);
    least.cpu_seconds = std::min(least.cpu_seconds, next.cpu_seconds);
    least.tasks = std::min(least.tasks, next.tasks);
  }
  return least;
}

void print(const Shape& shape, int rounds) {
  const Measured m = least_of(shape, rounds);
  const auto batches = static_cast<double>(shape.batches);
  std::printf("| %u | %u | %.2f | %.2f | %.1f | %.1f |\n", shape.threads, shape.consumers, m.seconds / batches * 1e6,
              m.cpu_seconds / batches * 1e6, m.tasks / batches, m.tasks / m.seconds / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const int rounds = smoke ? 1 : 7;
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::printf("| threads | consumers | us a batch | CPU us a batch | tasks a batch | M tasks/s |\n");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  std::vector<unsigned> threads = {1};
  for (unsigned t = 2; t <= cores; t *= 2) threads.push_back(t);
  for (const unsigned t : threads) {
    for (const unsigned consumers : {1u, 16u, 64u}) print({t, consumers, smoke ? 500u : 100'000u}, rounds);
  }
}
