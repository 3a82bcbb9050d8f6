#include "packet/nic/feeder/feeder_link.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
