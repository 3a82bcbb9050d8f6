// Blocks on their way to the threads that take them: a bounded queue for each channel of a StreamReader. What goes in
// is copied, once.
//
// Threads: consumers as StreamReassembly calls them, beside each other; each queue is taken from by one thread at a
// time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "app/library/job_work.h"
#include "core/thread_annotations.h"
#include "warpmeter/stream_reader.h"

namespace warpmeter {

class StreamQueues : public JobOutlet {
 public:
  explicit StreamQueues(unsigned queues);
  ~StreamQueues() override;

  unsigned count() const { return static_cast<unsigned>(queues_.size()); }

  // That fill them: several for each, so that few takers do not make few threads of a run. Throw Error when nobody
  // takes any more.
  std::span<StreamConsumer* const> consumers() const { return consumers_; }

  // Waits, and replaces what `events` holds by what is there. False: the queue gives no more.
  bool pop(unsigned queue, std::vector<StreamEvent>& events);

  // Nothing will be added.
  void end() noexcept;

  bool ready(std::chrono::milliseconds at_most) override;
  bool is_taken() const override;
  void give_up() noexcept override;

 private:
  class Filler;
  struct Queue {
    std::vector<StreamEvent> events;
    std::size_t bytes = 0;
    bool is_waited_for = false;
    std::condition_variable has_events, has_room;
  };

  void push(unsigned queue, StreamEvent event, std::size_t bytes);
  bool any_is_filled() const;  // REQUIRES: mutex_ is held.

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Queue>> queues_;              // always the same; mutex_ guards what is in them
  unsigned wait_for_any_ WARPMETER_GUARDED_BY(mutex_) = 0;  // threads
  std::condition_variable any_has_events_;
  bool ended_ WARPMETER_GUARDED_BY(mutex_) = false, given_up_ WARPMETER_GUARDED_BY(mutex_) = false;

  std::vector<std::unique_ptr<Filler>> fillers_;
  std::vector<StreamConsumer*> consumers_;
};

}  // namespace warpmeter
