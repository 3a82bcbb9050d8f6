#include "packet/file/file_source.h"

#include <algorithm>

#include "packet/file/read_error.h"

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

}  // namespace warpmeter::inline packet
