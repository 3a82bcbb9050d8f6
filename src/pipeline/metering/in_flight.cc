#include "pipeline/metering/in_flight.h"

namespace warpmeter::inline pipeline {

bool InFlight::wait_for_room(unsigned device) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || on_device_[device] < most_; });
  return !failed_;
}

bool InFlight::wait_until_empty() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || pieces_.empty(); });
  return !failed_;
}

void InFlight::submitted(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(piece);
  ++on_device_[piece.device];
  changed_.notify_all();
}

void InFlight::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::optional<Piece> InFlight::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || closed_ || !pieces_.empty(); });
  if (failed_ || pieces_.empty()) return std::nullopt;
  return pieces_.front();
}

void InFlight::collected(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  --on_device_[piece.device];
  changed_.notify_all();
}

void InFlight::done() {
  const std::lock_guard lock(mutex_);
  pieces_.pop_front();
  changed_.notify_all();
}

void InFlight::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

}  // namespace warpmeter::inline pipeline
