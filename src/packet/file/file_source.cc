#include "packet/file/file_source.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "packet/file/byte_source.h"

namespace warpmeter::inline packet {
namespace {

// Read at once. Many files are only looked at.
constexpr std::size_t kFirstPiece = 16 << 10;
constexpr std::size_t kPiece = 256 << 10;

constexpr std::uint64_t kAhead = 4 << 20;

// Shared by all files: a trace may have many small ones, and memory that was used before is cheaper than fresh one.
BufferPool& pool(bool sparing) {
  static const auto buffers = std::make_shared<BufferPool>(kPiece + Buffer::kPage);
  static const auto small_buffers = std::make_shared<BufferPool>(kFirstPiece + Buffer::kPage);
  return sparing ? *small_buffers : *buffers;
}

}  // namespace

FileSource::FileSource(std::string name, std::shared_ptr<const RegularFile> file, std::uint64_t begin)
    : name_(std::move(name)), file_(std::move(file)) {
  offset_ = begin;
}

void FileSource::lend_to(Leases* leases) {
  leases_ = leases;
  if (leases && buffer_) leases->push_back(buffer_);
}

bool FileSource::skip(std::uint64_t bytes) {
  lend_to(nullptr);
  const std::uint64_t there = std::min<std::uint64_t>(bytes, file_->size() - offset_);
  if (there <= left()) {
    advance(there);
  } else {
    offset_ += there;
    at_ = end_ = nullptr;
  }
  return there == bytes;
}

void FileSource::park() {
  sparing_ = true;
  file_->park();
}

void FileSource::read_ahead() { file_->read_ahead(kAhead); }

// What is left of the window is read once more: a page at most, but for something long, for which the window doubles.
bool FileSource::grow(std::size_t bytes) {
  const std::uint64_t begin = offset_ / Buffer::kPage * Buffer::kPage;
  const std::size_t wanted = std::max({bytes, 2 * left(), buffer_ && !sparing_ ? kPiece : kFirstPiece});
  const std::uint64_t until = offset_ + std::min<std::uint64_t>(wanted, file_->size() - offset_);
  if (until - offset_ <= left()) return false;
  auto next = pool(sparing_).take(until - begin);
  std::uint8_t* const data = next->data();
  const std::uint64_t end = begin + file_->read(data, begin, until);
  const int error = end < until ? file_->error() : 0;
  if (error && end < offset_ + bytes) throw ReadError(read_error_text(name_, error, std::max(end, offset_)));
  if (end <= offset_ + left()) return false;
  at_ = data + (offset_ - begin);
  end_ = data + (end - begin);
  buffer_ = std::move(next);
  if (leases_) leases_->push_back(buffer_);
  return left() >= bytes;
}

namespace {

constexpr std::size_t kBufferBytes = 4 << 20;
constexpr int kWaitMs = 100;  // how long a stop may go unnoticed

}  // namespace

PipeSource::PipeSource(Descriptor pipe, std::string name, const std::atomic<bool>& stop)
    : pipe_(std::move(pipe)), name_(std::move(name)), stop_(stop), pool_(std::make_shared<BufferPool>(kBufferBytes)) {}

void PipeSource::lend_to(Leases* leases) {
  leases_ = leases;
  if (leases && buffer_) leases->push_back(buffer_);
}

bool PipeSource::grow(std::size_t bytes) {
  if (ended_ && left() < bytes) return false;
  while (left() < bytes) {
    const std::size_t used = buffer_ ? static_cast<std::size_t>(end_ - buffer_->data()) : 0;
    if (!buffer_ || used == buffer_->size()) {
      move_to_new_buffer(bytes);
      continue;
    }
    const std::size_t got = read_some(buffer_->data() + used, buffer_->size() - used);
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

// The buffer is full. What is left of it goes to the front of a new one; one that is all left grows by doubling, so
// that memory follows the bytes that really came and not a length that a damaged file claims.
void PipeSource::move_to_new_buffer(std::size_t bytes) {
  const std::size_t kept = left();
  auto next = pool_->take(std::min(bytes, 2 * kept) + 1);
  if (kept) std::memcpy(next->data(), at_, kept);
  at_ = next->data();
  end_ = at_ + kept;
  buffer_ = std::move(next);
  if (leases_) leases_->push_back(buffer_);
}

std::size_t PipeSource::read_some(std::uint8_t* to, std::size_t room) {
  while (!stop_.load(std::memory_order_relaxed) && !abandoned_.load(std::memory_order_relaxed)) {
    pollfd ready{pipe_.get(), POLLIN, 0};
    const int polled = poll(&ready, 1, kWaitMs);
    if (polled == 0 || (polled < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(pipe_.get(), to, room);
    ended_ = got == 0;
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) throw ReadError(read_error_text(name_, errno, offset_ + left()));
  }
  return 0;
}

}  // namespace warpmeter::inline packet
