#include "packet/nic/ring/observation_points.h"

#include <algorithm>
#include <utility>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

}  // namespace

ObservationPoints::ObservationPoints(std::vector<std::unique_ptr<ObservationPoint>> points,
                                     std::chrono::nanoseconds duration, Warn warn, const std::atomic<bool>& stop)
    : points_(std::move(points)), duration_(duration), warn_(std::move(warn)), stop_(stop), start_(Clock::now()) {
  for (const auto& point : points_) {
    for (std::size_t i = 0; i < point->rings(); ++i) rings_.push_back(&point->ring(i));
  }
  look();
}

void ObservationPoints::observe_as(ObservedPoints& observed) {
  for (const auto& point : points_) {
    const std::uint32_t number = point->observe_as(observed);
    for (std::size_t i = 0; i < point->rings(); ++i) point->ring(i).observes(number);
  }
}

bool ObservationPoints::filter() const {
  return std::ranges::all_of(rings_, [](const Ring* ring) { return ring->filters(); });
}

bool ObservationPoints::wants_to_stop() const {
  if (stop_ || ended_ || (ends() && Clock::now() - start_.load() >= duration_)) return true;
  return std::ranges::all_of(points_, [](const auto& point) { return point->is_gone(); });
}

// Each once, also at the end of the capture.
void ObservationPoints::look_at_points() {
  told_gone_.resize(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    ObservationPoint& point = *points_[i];
    point.look(warn_);
    if (told_gone_[i] || !point.is_gone() || point.ended_well()) continue;
    told_gone_[i] = true;
    const char* const then = wants_to_stop() ? "" : "; the capture goes on without it";
    warn_(printable(point.name()) + ": " + point.why_gone() + then);
  }
  for (Ring* const ring : rings_) ring->update_counts();
}

void ObservationPoints::look_when_due() {
  if (Clock::now().time_since_epoch().count() < next_look_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(look_, std::try_to_lock);
  if (!lock) return;
  next_look_ = (Clock::now() + kLookEvery).time_since_epoch().count();
  look_at_points();
}

void ObservationPoints::look() {
  const std::lock_guard lock(look_);
  look_at_points();
}

// Whoever looks next tells why.
void ObservationPoints::look_after(Ring& ring) {
  if (ring.take_error() != 0) next_look_ = 0;
}

std::string ObservationPoints::description() const {
  std::string text;
  for (const auto& point : points_) {
    text += (text.empty() ? "" : ", ") + printable(point->name()) + " (" + point->way() + ")";
  }
  return text;
}

std::vector<RingCounts> ObservationPoints::ring_counts() const {
  std::vector<RingCounts> counts;
  for (const Ring* const ring : rings_) counts.push_back(ring->all_counts());
  return counts;
}

std::vector<PointCounts> ObservationPoints::point_counts() const {
  std::vector<PointCounts> counts;
  for (const auto& point : points_) {
    counts.push_back(point->counts());
    counts.back().gone = point->is_gone();
  }
  return counts;
}

std::vector<std::string> ObservationPoints::gone() const {
  std::vector<std::string> lines;
  for (const auto& point : points_) {
    if (point->is_gone() && !point->ended_well()) lines.push_back(printable(point->name()) + ": " + point->why_gone());
  }
  return lines;
}

}  // namespace warpmeter::inline packet
