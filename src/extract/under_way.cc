#include "extract/under_way.h"

namespace warpmeter {

bool UnderWay::wait_for_room(unsigned device) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || on_device_[device] < most_; });
  return !failed_;
}

bool UnderWay::wait_until_empty() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || pieces_.empty(); });
  return !failed_;
}

void UnderWay::submitted(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(piece);
  ++on_device_[piece.device];
  changed_.notify_all();
}

void UnderWay::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::optional<Piece> UnderWay::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || closed_ || !pieces_.empty(); });
  if (failed_ || pieces_.empty()) return std::nullopt;
  return pieces_.front();
}

void UnderWay::collected(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  --on_device_[piece.device];
  changed_.notify_all();
}

void UnderWay::done() {
  const std::lock_guard lock(mutex_);
  pieces_.pop_front();
  changed_.notify_all();
}

void UnderWay::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

}  // namespace warpmeter
