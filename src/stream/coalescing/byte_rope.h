// Bytes that are added at the end and never move: a super-packet while it grows. A new piece is as large as all before
// it, so that what is held is at most twice what is used, and nothing is copied twice.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace warpmeter::inline stream {

class ByteRope {
 public:
  void append(const std::uint8_t* bytes, std::uint32_t size) {
    Piece& last = more_.empty() ? first_ : more_.back();
    const std::uint32_t fits = std::min(size, last.room - last.end);
    if (fits > 0) last.put(bytes, fits);
    if (size > fits) {
      Piece& added = first_.room == 0 ? first_ : more_.emplace_back();
      added.make(std::max(size - fits, size_));
      added.put(bytes + fits, size - fits);
    }
    size_ += size;
  }

  // The bytes of another, but for the first `without`. REQUIRES: something was appended to both; these lie in the
  // other's first piece.
  void append(ByteRope&& other, std::uint32_t without) {
    size_ += other.size_ - without;
    other.first_.begin += without;
    more_.push_back(std::move(other.first_));
    std::ranges::move(other.more_, std::back_inserter(more_));
    other = {};
  }

  std::uint32_t size() const { return size_; }

  // What was appended first lies behind each other. REQUIRES: something was.
  std::uint8_t* front() { return first_.data.get(); }

  // Calls take(bytes, size) piece by piece.
  template <class Take>
  void for_each(const Take& take) const {
    take(first_.data.get() + first_.begin, std::size_t{first_.end} - first_.begin);
    for (const Piece& piece : more_) take(piece.data.get() + piece.begin, std::size_t{piece.end} - piece.begin);
  }

 private:
  struct Piece {
    std::unique_ptr<std::uint8_t[]> data;
    std::uint32_t begin = 0, end = 0, room = 0;

    void make(std::uint32_t bytes) {
      data.reset(new std::uint8_t[bytes]);
      room = bytes;
    }
    void put(const std::uint8_t* bytes, std::uint32_t size) {
      std::memcpy(data.get() + end, bytes, size);
      end += size;
    }
  };
  Piece first_;  // most packets that are alone need no more
  std::vector<Piece> more_;
  std::uint32_t size_ = 0;
};

}  // namespace warpmeter::inline stream
