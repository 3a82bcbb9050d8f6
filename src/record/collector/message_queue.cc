#include "record/collector/message_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "record/collector/socket.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {

MessageQueue::MessageQueue(std::size_t most_bytes)
    : most_bytes_(most_bytes), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw Error("no event descriptor: " + error_text(errno));
}

bool MessageQueue::push(IpfixMessage&& message) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return refusing_ || messages_.empty() || bytes_ + message.bytes.size() <= most_bytes_; });
  const bool taken = !refusing_ || message.templates;
  if (taken) {
    bytes_ += message.bytes.size();
    messages_.push_back(std::move(message));
  }
  const bool first = messages_.size() == 1;
  lock.unlock();
  if (first) wake();
  return taken;
}

void MessageQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake();
}

std::optional<IpfixMessage> MessageQueue::pop() {
  const std::lock_guard lock(mutex_);
  if (messages_.empty()) return std::nullopt;
  IpfixMessage message = std::move(messages_.front());
  messages_.pop_front();
  bytes_ -= message.bytes.size();
  changed_.notify_one();
  return message;
}

bool MessageQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return messages_.empty();
}

std::size_t MessageQueue::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool MessageQueue::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::deque<IpfixMessage> MessageQueue::refuse() {
  const std::lock_guard lock(mutex_);
  refusing_ = true;
  bytes_ = 0;
  changed_.notify_one();
  return std::exchange(messages_, {});
}

void MessageQueue::accept_again() {
  const std::lock_guard lock(mutex_);
  refusing_ = false;
}

void MessageQueue::wake() {
  const std::uint64_t one = 1;
  if (write(wake_.get(), &one, sizeof one) < 0) return;  // full: it has been woken before
}

void MessageQueue::wake_seen() {
  std::uint64_t times = 0;
  if (read(wake_.get(), &times, sizeof times) < 0) return;  // nobody had woken it
}

}  // namespace warpmeter::inline record
