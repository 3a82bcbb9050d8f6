#include "packet/nic/feeder/feeder_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "packet/nic/feeder/feeder_ring_reader.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint64_t kSilentAfterNs = 5'000'000'000;  // feeders look after their rings once a second

std::uint64_t monotonic_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

FeederPoint::FeederPoint(const std::string& feeder, unsigned rings)
    : name_("shm:" + feeder), link_(std::make_shared<FeederLink>(feeder)) {
  for (unsigned i = 0; i < rings; ++i) {
    rings_.push_back(std::make_unique<FeederRingReader>(link_, name_, i, rings));
  }
}

std::string FeederPoint::way() const {
  if (!link_->has_come()) return "shared memory, of a feeder that has not come yet";
  return fmt::format("shared memory, {} of a feeder", link_->queues().size() == 1 ? "a ring" : "rings");
}

void FeederPoint::look(const Warn& warn) {
  link_->attend();
  if (!std::exchange(looked_, true) && !link_->has_come()) warn(name_ + " waits for its feeder");
  for (const std::string& line : link_->take_news()) warn(name_ + ": " + line);
  if (!link_->has_come()) return;
  std::uint64_t missed = 0;
  for (const auto& queue : link_->queues()) missed += queue->count().missed;
  missed_ = missed;
  look_for_signs_of_life(warn);
}

// Told once each time: it may be stopped, or hang, and what it could not take is lost at its card.
void FeederPoint::look_for_signs_of_life(const Warn& warn) {
  std::uint64_t last = UINT64_MAX;
  for (const auto& queue : link_->queues()) last = std::min(last, queue->heartbeat_ns());
  const std::uint64_t now = monotonic_ns();
  const bool silent = !is_gone() && last != 0 && now > last && now - last > kSilentAfterNs;
  if (silent && !silent_) warn(name_ + ": its feeder gave no sign of life for 5 s");
  silent_ = silent;
}

}  // namespace warpmeter::inline packet
