// Messages on their way from the thread that makes them to the one that sends them: at most so many bytes, one message
// at least.
//
// The sending thread does not wait here but in poll(2), on wake_fd() and its socket together.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "base/files/descriptor.h"
#include "core/message_format.h"
#include "core/thread_annotations.h"

namespace warpmeter::inline record {

class MessageQueue {
 public:
  // Throws Error where the system has no descriptor left.
  explicit MessageQueue(std::size_t most_bytes);

  // Waits while the queue is full. False if messages are refused: it was not taken. Templates are, whatever becomes of
  // messages: who answers later needs them.
  bool push(IpfixMessage&& message);
  // No push() follows.
  void close();

  // The sender's side. Never waits.
  std::optional<IpfixMessage> pop();
  bool empty() const;
  std::size_t bytes() const;  // of what waits; from any thread
  bool closed() const;
  // push() takes nothing but Templates from now on. Returns what had been taken.
  std::deque<IpfixMessage> refuse();
  void accept_again();
  // Readable after a push() to the empty queue and after close(), until wake_seen().
  int wake_fd() const { return wake_.get(); }
  void wake_seen();

 private:
  void wake();

  const std::size_t most_bytes_;
  Descriptor wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<IpfixMessage> messages_ WARPMETER_GUARDED_BY(mutex_);
  std::size_t bytes_ WARPMETER_GUARDED_BY(mutex_) = 0;
  bool refusing_ WARPMETER_GUARDED_BY(mutex_) = false, closed_ WARPMETER_GUARDED_BY(mutex_) = false;
};

}  // namespace warpmeter::inline record
