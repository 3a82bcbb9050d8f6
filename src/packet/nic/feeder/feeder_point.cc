#include "packet/nic/feeder/feeder_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kFeederBlocks = 32;

}  // namespace

FeederLink::FeederLink(const std::string& name) : socket_(name) { attend(); }

void FeederLink::attend() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || is_gone_) return;
  if (has_come_) see_whether_it_is_there();
  else welcome();
}

// A feeder that is refused may try again and again: that is told once.
void FeederLink::welcome() {
  try {
    std::optional<FeederOffer> offer = socket_.accept();
    if (!offer) return;
    try {
      take_rings(*offer);
    } catch (const Error& error) {
      FeederSocket::refuse(offer->connection, error.what());
      throw;
    }
    connection_ = std::move(offer->connection);
    news_.push_back("its feeder has come, rings: " + std::to_string(queues_.size()));
    has_come_.store(true, std::memory_order_release);
  } catch (const Error& error) {
    if (std::exchange(last_refusal_, error.what()) != error.what()) {
      news_.push_back(std::string("a feeder was refused: ") + error.what());
    }
  }
}

void FeederLink::take_rings(const FeederOffer& offer) {
  std::vector<std::shared_ptr<FeederQueue>> queues;
  const auto count = static_cast<std::uint32_t>(offer.rings.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    queues.push_back(std::make_shared<FeederQueue>(map_feeder_memory(offer.rings[i].get()), i, count));
  }
  queues_ = std::move(queues);
}

void FeederLink::turn_away_others() {
  try {
    if (const auto another = socket_.accept()) {
      FeederSocket::refuse(another->connection, "another feeder feeds this meter");
    }
  } catch (const Error&) {  // it was told
  }
}

// What it did before it went is seen after that.
void FeederLink::see_whether_it_is_there() {
  turn_away_others();
  const bool is_there = FeederSocket::is_open(connection_);
  const bool has_ended = std::ranges::all_of(queues_, [](const auto& queue) { return queue->has_ended(); });
  if (has_ended) set_gone("", true);
  else if (!is_there) set_gone("the feeder is gone, and did not say that it ended", false);
}

void FeederLink::end(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!is_gone_) FeederSocket::refuse(connection_, why);
  if (!is_gone_ || ended_well_) set_gone(why, false);
}

void FeederLink::set_gone(const std::string& why, bool well) {
  why_gone_ = why;
  ended_well_ = well;
  connection_.reset();
  socket_.close();  // who comes now is for the next meter
  is_gone_.store(true, std::memory_order_release);
}

std::string FeederLink::why_gone() const {
  const std::lock_guard lock(mutex_);
  return why_gone_;
}

std::vector<std::string> FeederLink::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

FeederRingReader::FeederRingReader(std::shared_ptr<FeederLink> link, std::string point, unsigned number, unsigned of)
    : link_(std::move(link)),
      point_(std::move(point)),
      number_(number),
      of_(of),
      pool_(std::make_shared<CopiedFramesPool>(kFeederBlocks)) {}

bool FeederRingReader::has_queues() {
  if (attached_.load(std::memory_order_relaxed)) return true;
  if (shut_ || !link_->has_come()) return false;
  for (std::size_t i = number_; i < link_->queues().size(); i += of_) queues_.push_back(link_->queues()[i]);
  attached_.store(true, std::memory_order_release);
  return true;
}

std::optional<RingBlock> FeederRingReader::next() {
  const bool was_gone = link_->is_gone();
  if (has_queues()) {
    std::shared_ptr<CopiedFrames> frames = pool_->take();
    if (!frames) return {};
    if (take(*frames)) {
      received_.fetch_add(frames->size(), std::memory_order_relaxed);
      watermark_ns_ = frames->frames().back().time_ns;
      return block_of(std::move(frames));
    }
    if (was_gone) watermark_ns_ = FrameBlock::kNothingPassed;
    else note_passed_time();
  }
  link_->attend();
  return {};
}

// From the next queue that has something.
bool FeederRingReader::take(CopiedFrames& frames) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    FeederQueue& queue = *queues_[turn_];
    const std::size_t number = number_ + turn_ * of_;
    turn_ = turn_ + 1 == queues_.size() ? 0 : turn_ + 1;
    queue.take(frames);
    if (!queue.damage().empty()) link_->end("its ring " + std::to_string(number) + " is damaged: " + queue.damage());
    if (!frames.is_empty()) return true;
  }
  return false;
}

// All queues are empty. What they do not tell stays as it was.
void FeederRingReader::note_passed_time() {
  std::int64_t passed = INT64_MAX;
  for (const auto& queue : queues_) passed = std::min(passed, queue->watermark_ns());
  if (!queues_.empty() && passed != FrameBlock::kNothingPassed) watermark_ns_ = passed;
}

std::int64_t FeederRingReader::watermark_ns(std::int64_t) const { return watermark_ns_; }

void FeederRingReader::shut() {
  has_queues();  // perhaps it has just come, and gone
  shut_ = true;
  for (const auto& queue : queues_) queue->shut();
}

void FeederRingReader::update_counts() {
  if (!attached_.load(std::memory_order_acquire)) return;
  std::uint64_t dropped = 0, times_full = 0;
  for (const auto& queue : queues_) {
    const FeederQueue::Counts counts = queue->count();
    dropped += counts.dropped;
    times_full += counts.times_full;
  }
  ring_full_ = dropped;
  times_full_ = times_full;
}

std::optional<double> FeederRingReader::fill() const {
  std::optional<double> most;
  if (!attached_.load(std::memory_order_acquire)) return most;
  for (const auto& queue : queues_) most = std::max(most.value_or(0), queue->fill());
  return most;
}

RingCounts FeederRingReader::counts() const {
  return {.point = point_, .ring = number_, .received = received_, .ring_full = ring_full_, .times_full = times_full_};
}

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
