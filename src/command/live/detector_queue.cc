#include "command/live/detector_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "record/collector/socket.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

std::uint64_t bytes_of(const StreamBlock& block) {
  std::uint64_t bytes = 0;
  for (const SubBlock& sub : block.sub_blocks) bytes += sub.length;
  return bytes;
}

}  // namespace

// Memory is not written before it is needed.
DetectorQueue::Circle::Circle(std::uint64_t most) : size(most), bytes(new (std::nothrow) char[most]) {
  if (!bytes) throw Error("there is not so much memory for records that wait (--stream-queue)");
}

void DetectorQueue::Circle::begin(std::uint64_t&, std::uint64_t count) {
  if (count > limit - std::min(limit, used())) refused = true;
}

void DetectorQueue::Circle::write(const void* from, std::size_t count) {
  if (refused || count == 0) return;
  const std::uint64_t at = last % size, fits = std::min<std::uint64_t>(count, size - at);
  std::memcpy(bytes.get() + at, from, fits);
  if (fits < count) std::memcpy(bytes.get(), static_cast<const char*>(from) + fits, count - fits);
  last += count;
}

DetectorQueue::DetectorQueue(std::uint64_t most)
    : for_rest_(most - most / 8), circle_(most), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!wake_) throw Error("no eventfd: " + error_text(errno));
}

// All or nothing.
template <class Write>
bool DetectorQueue::put(std::unique_lock<std::mutex>& lock, std::uint64_t limit, const Write& write) {
  while (counts_.connected) {
    const std::uint64_t before = circle_.last;
    circle_.limit = limit;
    circle_.refused = false;
    tell_dropped();
    write();
    if (!circle_.refused) {
      dropped_ = {};
      if (circle_.used() > circle_.size / 2) wake();  // before the batch is over
      return true;
    }
    circle_.last = before;
    if (!make_room_) return false;
    lock.unlock();
    const bool more = make_room_();
    lock.lock();
    if (!more) return false;
  }
  return false;
}

void DetectorQueue::tell_dropped() {
  if (dropped_.blocks || dropped_.ends) write_dropped(circle_, dropped_);
}

void DetectorQueue::open_for_reader(const TcpConnection& connection) {
  std::uint64_t chain = 0;
  if (connection.tag != session_) write_opened(circle_, chain, connection);
}

void DetectorQueue::opened(TcpConnection& connection) {
  std::unique_lock lock(mutex_);
  ++counts_.connections;
  if (put(lock, for_rest_, [&] { open_for_reader(connection); })) connection.tag = session_;
}

void DetectorQueue::take(TcpConnection& connection, const StreamBlock& block) {
  const std::uint64_t bytes = bytes_of(block);
  std::unique_lock lock(mutex_);
  ++counts_.blocks;
  counts_.bytes += bytes;
  counts_.early_blocks += block.reason == StreamReason::memory;
  const bool fits = put(lock, for_rest_, [&] {
    std::uint64_t chain = 0;
    open_for_reader(connection);
    write_block(circle_, chain, connection, block);
  });
  if (fits) {
    connection.tag = session_;
    waiting_.push_back({circle_.last, bytes});
  } else if (counts_.connected) {
    ++dropped_.blocks;
    dropped_.bytes += bytes;
    ++counts_.dropped_blocks;
    counts_.dropped_bytes += bytes;
  } else {
    ++counts_.unread_blocks;
    counts_.unread_bytes += bytes;
  }
}

void DetectorQueue::ended(TcpConnection& connection, const ConnectionReport& report) {
  std::unique_lock lock(mutex_);
  ++counts_.ended;
  const bool is_known = connection.tag == session_;
  const bool fits = put(lock, is_known ? circle_.size : for_rest_, [&] {
    std::uint64_t chain = 0;
    open_for_reader(connection);
    write_ended(circle_, chain, connection, report);
  });
  if (fits) {
    ++told_ends_;
  } else if (counts_.connected && is_known) {
    ++dropped_.ends;
    ++counts_.dropped_ends;
  }
}

void DetectorQueue::put_last(std::uint64_t stray_segments) {
  std::unique_lock lock(mutex_);
  counts_.stray_segments = stray_segments;
  put(lock, circle_.size, [&] { write_last(circle_, {told_ends_, stray_segments}); });
}

StreamFeedCounts DetectorQueue::counts() const {
  const std::lock_guard lock(mutex_);
  StreamFeedCounts counts = counts_;
  counts.queued_bytes = circle_.used();
  return counts;
}

void DetectorQueue::begin_session() {
  const std::lock_guard lock(mutex_);
  ++session_;
  ++counts_.readers;
  counts_.connected = true;
  dropped_ = {};
  told_ends_ = 0;
  circle_.first = circle_.last = 0;
  circle_.refused = false;
  const StreamsHeader header;
  circle_.write(&header, sizeof header);
}

void DetectorQueue::end_session() {
  const std::lock_guard lock(mutex_);
  counts_.connected = false;
  for (const Block& block : waiting_) {
    ++counts_.unread_blocks;
    counts_.unread_bytes += block.bytes;
  }
  waiting_.clear();
  circle_.first = circle_.last = 0;
}

std::array<iovec, 2> DetectorQueue::front() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t at = circle_.first % circle_.size, behind = std::min(circle_.used(), circle_.size - at);
  return {iovec{circle_.bytes.get() + at, behind}, iovec{circle_.bytes.get(), circle_.used() - behind}};
}

// What is empty begins anew: as little memory is touched as that.
void DetectorQueue::pop(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  circle_.first += bytes;
  while (!waiting_.empty() && waiting_.front().end <= circle_.first) waiting_.pop_front();
  if (circle_.first == circle_.last) circle_.first = circle_.last = 0;
}

bool DetectorQueue::is_empty() const {
  const std::lock_guard lock(mutex_);
  return circle_.used() == 0;
}

// Either this sees that somebody waits, or that one sees before it waits what was put in (memory_order_seq_cst).
void DetectorQueue::publish() {
  if (waits_ && !is_empty()) wake();
}

void DetectorQueue::wake() {
  if (!waits_.exchange(false)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
}

void DetectorQueue::end_wait() {
  waits_ = false;
  std::uint64_t count;
  [[maybe_unused]] const auto taken = read(wake_.get(), &count, sizeof count);
}

}  // namespace warpmeter::inline command
