// The bytes of a packet that is put together: headers, which are copied, and behind them pieces of payload, which stay
// in the frames that they came in until they are kept.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace warpmeter::inline stream {

class ByteRope {
 public:
  // Forgets what it had.
  void begin(const std::uint8_t* headers, std::uint32_t size) {
    clear();
    if (size > usual_.size()) long_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    std::memcpy(front(), headers, size);
    size_ = front_size_ = size;
  }

  // Bytes that somebody else keeps where they are until keep(), or until nobody asks for them. REQUIRES: there are
  // some.
  void refer(const std::uint8_t* bytes, std::uint32_t size) {
    if (first_.size == 0) first_ = {bytes, size};
    else more_.push_back({bytes, size});
    size_ += size;
  }

  // The payload of another.
  void append(ByteRope&& other) {
    if (other.first_.size > 0) more_.push_back(other.first_);
    more_.insert(more_.end(), other.more_.begin(), other.more_.end());
    std::ranges::move(other.kept_, std::back_inserter(kept_));
    size_ += other.size_ - other.front_size_;
    other.clear();
  }

  // Copies what it refers to, all to one place. REQUIRES: nothing of another was appended; so what was kept before
  // comes before it.
  void keep() {
    const bool is_all = first_.size > 0 && !first_.is_kept;
    const auto begin = is_all ? more_.begin() : std::ranges::find(more_, false, &Piece::is_kept);
    std::size_t size = is_all ? first_.size : 0;
    for (auto piece = begin; piece != more_.end(); ++piece) size += piece->size;
    if (size == 0) return;
    kept_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
    std::uint8_t* to = kept_.back().get();
    const Piece kept{to, static_cast<std::uint32_t>(size), true};
    const auto copy = [&to](const Piece& piece) {
      std::memcpy(to, piece.data, piece.size);
      to += piece.size;
    };
    if (is_all) copy(first_);
    std::for_each(begin, more_.end(), copy);
    more_.erase(begin, more_.end());
    if (is_all) first_ = kept;
    else more_.push_back(kept);
  }

  // All of it, with no more room than it needs; nothing is left, but the room is.
  ByteRope take() {
    ByteRope taken;
    taken.usual_ = usual_;
    taken.long_ = std::move(long_);
    taken.first_ = first_;
    taken.more_ = more_;
    taken.kept_ = std::move(kept_);
    taken.size_ = size_;
    taken.front_size_ = front_size_;
    clear();
    return taken;
  }

  std::uint32_t size() const { return size_; }
  std::uint32_t front_size() const { return front_size_; }
  std::uint8_t* front() { return long_ ? long_.get() : usual_.data(); }  // the headers
  const std::uint8_t* front() const { return long_ ? long_.get() : usual_.data(); }

  // Calls take(bytes, size) piece by piece.
  template <class Take>
  void for_each(const Take& take) const {
    take(front(), std::size_t{front_size_});
    each_of_payload([&take](const std::uint8_t* bytes, std::size_t size, bool) { take(bytes, size); });
  }
  // Of the payload alone, as take(bytes, size, is_kept).
  template <class Take>
  void each_of_payload(const Take& take) const {
    if (first_.size > 0) take(first_.data, std::size_t{first_.size}, first_.is_kept);
    for (const Piece& piece : more_) take(piece.data, std::size_t{piece.size}, piece.is_kept);
  }
  // Where what is kept lies. The rope still refers to it.
  std::vector<std::unique_ptr<std::uint8_t[]>> take_kept() { return std::move(kept_); }

 private:
  struct Piece {
    const std::uint8_t* data = nullptr;
    std::uint32_t size = 0;
    bool is_kept = false;  // in `kept_`
  };

  void clear() {
    long_.reset();
    first_ = {};
    more_.clear();
    kept_.clear();
    size_ = front_size_ = 0;
  }

  static constexpr std::size_t kUsualHeaders = 128;
  std::array<std::uint8_t, kUsualHeaders> usual_;  // the headers, unless these are longer
  std::unique_ptr<std::uint8_t[]> long_;           // if so
  Piece first_;                                    // most packets that are alone have no other
  std::vector<Piece> more_;
  std::vector<std::unique_ptr<std::uint8_t[]>> kept_;
  std::uint32_t size_ = 0, front_size_ = 0;
};

}  // namespace warpmeter::inline stream
