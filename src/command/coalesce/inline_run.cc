#include "command/coalesce/inline_run.h"

#include <thread>
#include <utility>

#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/coalesce/inline_metrics.h"

namespace warpmeter::inline command {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 250ms;
constexpr int kPetsAPeriod = 4;  // of the watchdog

// However this thread leaves, the others end.
struct Ending {
  explicit Ending(std::atomic<bool>& all) : ends(all) {}
  ~Ending() { ends = true; }
  std::atomic<bool>& ends;
};

InlineReturn make_return(InlinePlaces& places) {
  if (places.tap()) return {*places.tap(), places.writer_of_in()};
  return {*places.ring_of_out(), places.writer_of_in()};
}

}  // namespace

InlineRun::InlineRun(InlinePlaces& places, const InlineOptions& options)
    : places_(places),
      coalescer_(places.ring(), places.writer(), options),
      back_(make_return(places)),
      in_(places.in()) {
  if (places.out()) out_.emplace(*places.out());
  if (!options.metrics) return;
  server_ = std::make_unique<MetricsServer>(*options.metrics, [this] { return inline_metrics(counts(), seconds()); });
}

std::string InlineRun::metrics_url() const { return server_ ? "http://" + server_->address().name() + "/metrics" : ""; }

double InlineRun::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void InlineRun::run(const std::atomic<bool>& stop, const ServiceSignals& signals) {
  {
    const std::jthread back([this] { work(back_); });
    const std::jthread there([this] { work(coalescer_); });
    const Ending at_the_end(ends_);
    manager_.tell("READY=1\nSTATUS=forwarding");
    while (!stop && !ends_ && signals.hang_ups == 0) {
      look();
      answer(signals);
      wait_for_signal(kLookEvery);
    }
    manager_.tell("STOPPING=1");
  }
  look();  // at what the rings count
}

template <class Work>
void InlineRun::work(Work& direction) {
  try {
    direction.run(ends_);
  } catch (const std::exception& error) {
    end_because(failure_words(error));
  }
}

void InlineRun::answer(const ServiceSignals& signals) {
  const unsigned questions = signals.questions;
  if (std::exchange(seen_questions_, questions) != questions) say(report_of(counts()).text);
}

// The first reason is the one.
void InlineRun::end_because(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (why_ended_.empty()) why_ended_ = why;
  }
  ends_ = true;
  end_wait_for_signal();
}

void InlineRun::look() {
  places_.ring().update_counts();
  if (PacketRing* const other = places_.ring_of_out()) other->update_counts();
  TapDevice* const tap = places_.tap();
  if (tap && tap->is_out_of_reach()) end_because(printable(tap->name()) + ": its network namespace is gone");
  look_at(in_);
  if (out_) look_at(*out_);
  if (manager_.watchdog()) tell_manager();
}

// Nobody tells a socket that its interface was removed.
void InlineRun::look_at(Watched& watched) {
  const std::string name = printable(watched.interface.name);
  if (!interface_exists(watched.interface.index)) return end_because(name + " is gone");
  const LinkNews news = watched.link.news();
  if (news.went_down) warn(name + ": the link is down; what comes when it is up again is forwarded");
  if (news.came_up) warn(name + ": the link is up");
}

void InlineRun::tell_manager() {
  const auto now = Clock::now();
  if (now < next_pet_) return;
  next_pet_ = now + *manager_.watchdog() / kPetsAPeriod;
  if (is_alive()) manager_.tell("WATCHDOG=1");
}

// Both directions are being worked on.
bool InlineRun::is_alive() {
  const std::uint64_t rounds = coalescer_.rounds(), rounds_back = back_.rounds();
  const bool alive = rounds != seen_rounds_ && rounds_back != seen_rounds_back_;
  seen_rounds_ = rounds;
  seen_rounds_back_ = rounds_back;
  return alive;
}

CoalesceSummary InlineRun::counts() const {
  CoalesceSummary now = coalescer_.counts();
  InlineCounts& c = *now.inline_counts;
  c.ring_full = places_.ring().counts().ring_full;
  c.out = places_.writer().counts();
  c.returned = places_.writer_of_in().counts();
  c.returned_too_long = back_.too_long();
  if (const PacketRing* const other = places_.ring_of_out()) c.returned_ring_full = other->counts().ring_full;
  now.packets_written = c.out.frames;
  now.bytes_written = c.out.bytes;
  const std::lock_guard lock(mutex_);
  c.why_ended = why_ended_;
  return now;
}

}  // namespace warpmeter::inline command
