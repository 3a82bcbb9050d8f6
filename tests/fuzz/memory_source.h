// A file that lies in memory, as a ByteSource: shown whole, or in pieces as a pipe would hand them over.
#pragma once

#include <algorithm>
#include <memory>

#include "packet/file/byte_source.h"

namespace warpmeter::fuzz {

// The bytes must outlive it.
class MemorySource : public ByteSource {
 public:
  MemorySource(const std::uint8_t* data, std::size_t size) : size_(size) {
    at_ = data;
    end_ = data + size;
  }
  void lend_to(Leases*) override {}
  std::uint64_t size() const override { return size_; }

 private:
  bool grow(std::size_t) override { return false; }
  const std::size_t size_;
};

// Shows `piece` bytes more whenever more are needed, as often as it takes, each time in a new buffer that is exactly as
// long as the window: AddressSanitizer finds what reads beyond it.
class PieceSource : public ByteSource {
 public:
  PieceSource(const std::uint8_t* data, std::size_t size, std::size_t piece)
      : next_(data), rest_(size), piece_(piece) {}
  void lend_to(Leases* leases) override {
    leases_ = leases;
    if (leases_ && buffer_) leases_->push_back(buffer_);
  }
  std::uint64_t size() const override { return 0; }

 private:
  bool grow(std::size_t bytes) override {
    const std::size_t kept = left();
    std::size_t more = 0;
    while (kept + more < bytes && more < rest_) more = std::min(rest_, more + piece_);
    if (more == 0) return false;
    std::shared_ptr<std::uint8_t[]> buffer(new std::uint8_t[kept + more]);
    std::copy(at_, end_, buffer.get());
    std::copy(next_, next_ + more, buffer.get() + kept);
    next_ += more;
    rest_ -= more;
    at_ = buffer.get();
    end_ = at_ + kept + more;
    buffer_ = std::move(buffer);
    if (leases_) leases_->push_back(buffer_);
    return left() >= bytes;
  }

  const std::uint8_t* next_;
  std::size_t rest_;
  const std::size_t piece_;
  std::shared_ptr<const std::uint8_t[]> buffer_;
  Leases* leases_ = nullptr;
};

}  // namespace warpmeter::fuzz
