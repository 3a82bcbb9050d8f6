#include "app/library/stream_queues.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "command/reassemble/stream_reassembly.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // that wait in a queue, and as many that were taken at once
constexpr std::size_t kOfEvent = 128;        // beside what is in it
constexpr unsigned kChannels = StreamReassembly::kChannels;

// Objects that are kept together, in one piece of memory.
class Kept {
 public:
  explicit Kept(std::size_t bytes)
      : words_(std::make_shared_for_overwrite<std::uint64_t[]>((bytes + sizeof(std::uint64_t) - 1) /
                                                               sizeof(std::uint64_t))),
        at_(reinterpret_cast<std::uint8_t*>(words_.get())) {}

  // As many as fit no more are never asked for. In descending order of alignment.
  template <class T>
  T* put(std::span<const T> given) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> &&
                  alignof(T) <= alignof(std::uint64_t));
    if (!given.empty()) std::memcpy(at_, given.data(), given.size_bytes());
    T* const put = std::launder(reinterpret_cast<T*>(at_));
    at_ += given.size_bytes();
    return put;
  }

  // Not written yet.
  template <class T>
  std::span<T> room(std::size_t count) {
    T* const begin = reinterpret_cast<T*>(at_);
    at_ += count * sizeof(T);
    std::uninitialized_default_construct_n(begin, count);
    return {begin, count};
  }

  template <class T>
  std::shared_ptr<const T> share(const T* kept) && {
    return {std::move(words_), kept};
  }

 private:
  std::shared_ptr<std::uint64_t[]> words_;
  std::uint8_t* at_;
};

template <class T>
std::span<const T> one(const T& value) {
  return {&value, 1};
}

// Each sub-block in one piece.
std::shared_ptr<const StreamBlock> copy_of(const StreamBlock& block, std::size_t& bytes) {
  bytes = sizeof block + block.sub_blocks.size() * (sizeof(SubBlock) + sizeof(StreamPiece));
  for (const SubBlock& sub : block.sub_blocks) bytes += sub.length;
  Kept kept(bytes);
  StreamBlock* const copy = kept.put(one(block));
  SubBlock* const subs = kept.put(block.sub_blocks);
  const std::span<StreamPiece> pieces = kept.room<StreamPiece>(block.sub_blocks.size());
  copy->sub_blocks = {subs, block.sub_blocks.size()};
  for (std::size_t i = 0; i < block.sub_blocks.size(); ++i) {
    const std::uint8_t* begin = nullptr;
    for (const StreamPiece& piece : block.sub_blocks[i].pieces) {
      const std::uint8_t* const put = kept.put(piece);
      if (!begin) begin = put;
    }
    pieces[i] = {begin, static_cast<std::size_t>(subs[i].length)};
    subs[i].pieces = {&pieces[i], 1};
  }
  return std::move(kept).share(copy);
}

std::shared_ptr<const ConnectionReport> copy_of(const ConnectionReport& report, std::size_t& bytes) {
  bytes = sizeof report;
  for (const StreamDirection& direction : report.directions) bytes += direction.gaps.size_bytes();
  Kept kept(bytes);
  ConnectionReport* const copy = kept.put(one(report));
  for (StreamDirection& direction : copy->directions) {
    direction.gaps = {kept.put(direction.gaps), direction.gaps.size()};
  }
  return std::move(kept).share(copy);
}

}  // namespace

// One channel of the run. The tag of its connections says where those are that takers have.
class StreamQueues::Filler final : public StreamConsumer {
 public:
  Filler(StreamQueues& queues, unsigned queue) : queues_(queues), queue_(queue) {}

  void opened(TcpConnection& connection) override {
    auto taken = std::make_shared<TcpConnection>(connection);
    if (free_.empty()) {
      connection.tag = connections_.size();
      connections_.push_back(std::move(taken));
    } else {
      connection.tag = free_.back();
      free_.pop_back();
      connections_[connection.tag] = std::move(taken);
    }
  }

  void take(TcpConnection& connection, const StreamBlock& block) override {
    std::size_t bytes = 0;
    std::shared_ptr<const StreamBlock> copy = copy_of(block, bytes);
    queues_.push(queue_, {connections_[connection.tag], std::move(copy)}, bytes);
  }

  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    std::size_t bytes = 0;
    std::shared_ptr<const ConnectionReport> copy = copy_of(report, bytes);
    free_.push_back(connection.tag);
    queues_.push(queue_, {std::move(connections_[connection.tag]), std::move(copy)}, bytes);
  }

 private:
  StreamQueues& queues_;
  const unsigned queue_;
  std::vector<std::shared_ptr<TcpConnection>> connections_;
  std::vector<std::uint64_t> free_;  // of these
};

StreamQueues::StreamQueues(unsigned queues) {
  for (unsigned i = 0; i < queues; ++i) queues_.push_back(std::make_unique<Queue>());
  for (unsigned i = 0; i < std::max(queues, kChannels); ++i) {
    fillers_.push_back(std::make_unique<Filler>(*this, i % queues));
    consumers_.push_back(fillers_.back().get());
  }
}

StreamQueues::~StreamQueues() = default;

void StreamQueues::push(unsigned queue, StreamEvent event, std::size_t bytes) {
  Queue& to = *queues_[queue];
  std::unique_lock lock(mutex_);
  to.has_room.wait(lock, [&] { return given_up_ || to.bytes < kMostBytes; });
  if (given_up_) throw Error("nobody takes the streams");
  to.events.push_back(std::move(event));
  to.bytes += bytes + kOfEvent;
  const bool wake = std::exchange(to.is_waited_for, false), wake_any = wait_for_any_ > 0;
  lock.unlock();
  if (wake) to.has_events.notify_one();
  if (wake_any) any_has_events_.notify_all();
}

bool StreamQueues::pop(unsigned queue, std::vector<StreamEvent>& events) {
  Queue& from = *queues_[queue];
  events.clear();
  std::unique_lock lock(mutex_);
  from.has_events.wait(lock, [&] {
    from.is_waited_for = !ended_ && from.events.empty();
    return !from.is_waited_for;
  });
  from.events.swap(events);
  from.bytes = 0;
  lock.unlock();
  from.has_room.notify_all();
  return !events.empty();
}

void StreamQueues::end() noexcept {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (const auto& queue : queues_) queue->has_events.notify_all();
  any_has_events_.notify_all();
}

bool StreamQueues::any_is_filled() const {
  return std::ranges::any_of(queues_, [](const auto& queue) { return !queue->events.empty(); });
}

bool StreamQueues::ready(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  ++wait_for_any_;
  const bool is_ready = any_has_events_.wait_for(lock, bounded(at_most), [this] { return ended_ || any_is_filled(); });
  --wait_for_any_;
  return is_ready;
}

bool StreamQueues::is_taken() const {
  const std::lock_guard lock(mutex_);
  return ended_ && !any_is_filled();
}

void StreamQueues::give_up() noexcept {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  for (const auto& queue : queues_) {
    queue->events.clear();
    queue->has_room.notify_all();
  }
}

}  // namespace warpmeter
