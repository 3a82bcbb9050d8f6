#include "command/coalesce/inline_run.h"

#include <poll.h>

#include <thread>
#include <utility>

#include "base/metrics/metric_text.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "base/words/printable.h"

namespace warpmeter::inline command {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 250ms;
constexpr int kPetsAPeriod = 4;  // of the watchdog

constexpr int kLongestPauseMs = 100;  // in which the other direction sees that it is to end
constexpr int kFramesOfTap = 256;     // before it looks at anything else
constexpr std::size_t kFramesOfBlock = 256;

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

using Type = MetricText::Type;

void add_count(MetricText& text, const char* name, const char* help, std::uint64_t value) {
  text.family(name, Type::counter, help);
  text.sample(value);
}

void add_lost(MetricText& text, const char* name, const char* help, std::uint64_t ring_full, std::uint64_t too_long,
              const WriteCounts& written) {
  text.family(name, Type::counter, help);
  text.sample(ring_full, {{"place", "ring_full"}});
  text.sample(too_long, {{"place", "too_long"}});
  text.sample(written.full, {{"place", "output_full"}});
  text.sample(written.down, {{"place", "output_down"}});
  text.sample(written.refused, {{"place", "refused"}});
}

void add_joined(MetricText& text, const CoalesceSummary& now) {
  const CoalescerCounters& c = now.counters;
  add_count(text, "warpmeter_coalesce_joined_packets_total", "Packets that went into super-packets.", c.joined);
  add_count(text, "warpmeter_coalesce_super_packets_total", "Super-packets.", c.super_packets);
  add_count(text, "warpmeter_coalesce_dropped_repeats_total", "Repeated packets that were dropped (--drop-repeats).",
            c.dropped);
  text.family("warpmeter_coalesce_passed_packets_total", Type::counter, "Packets that passed as they were, by reason.");
  const auto passes = passes_of(now);
  for (std::size_t i = 0; i < kPassReasons; ++i) text.sample(passes[i], {{"reason", kPassReasonNames[i]}});
  text.family("warpmeter_coalesce_flushes_total", Type::counter, "Lists of waiting packets that left, by reason.");
  for (std::size_t i = 0; i < kFlushReasons; ++i) text.sample(c.flushes[i], {{"reason", kFlushReasonNames[i]}});
}

// REQUIRES: it is of an inline run. `seconds`: since its begin.
std::string inline_metrics(const CoalesceSummary& now, double seconds) {
  MetricText text;
  const InlineCounts& c = *now.inline_counts;
  add_count(text, "warpmeter_coalesce_received_packets_total", "Packets that came in.", now.decode.frames);
  add_count(text, "warpmeter_coalesce_received_bytes_total", "Bytes of these.", now.bytes_read);
  add_count(text, "warpmeter_coalesce_written_packets_total", "Packets that went out, a super-packet as one.",
            c.out.frames);
  add_count(text, "warpmeter_coalesce_written_bytes_total", "Bytes of these.", c.out.bytes);
  add_lost(text, "warpmeter_coalesce_lost_packets_total", "Packets that came in and went no further, by place.",
           c.ring_full, c.too_long, c.out);
  add_joined(text, now);
  add_count(text, "warpmeter_coalesce_returned_packets_total", "Packets of the other direction.", c.returned.frames);
  add_count(text, "warpmeter_coalesce_returned_bytes_total", "Bytes of these.", c.returned.bytes);
  add_lost(text, "warpmeter_coalesce_return_lost_packets_total", "Packets of it that went no further, by place.",
           c.returned_ring_full, c.returned_too_long, c.returned);
  text.family("warpmeter_uptime_seconds", Type::gauge, "How long it has been running.");
  text.sample(seconds);
  return text.text();
}

}  // namespace

void InlineReturn::run(const std::atomic<bool>& ends) {
  while (!ends.load(std::memory_order_relaxed)) {
    wait();
    if (tap_) take_from_tap();
    else take_from_ring();
    rounds_.store(rounds_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

void InlineReturn::wait() const {
  pollfd wanted{.fd = tap_ ? tap_->fd() : ring_->fd(), .events = POLLIN, .revents = 0};
  if (poll(&wanted, 1, kLongestPauseMs) > 0 && wanted.revents & POLLERR && ring_) ring_->take_error();
}

void InlineReturn::take_from_tap() {
  for (int i = 0; i < kFramesOfTap; ++i) {
    VnetHeader header;
    const std::size_t bytes = tap_->read(header, frame_);
    if (bytes == 0) return;
    out_.write(header, frame_.data(), bytes);
  }
}

void InlineReturn::take_from_ring() {
  std::optional<RingBlock> block = ring_->next();
  ring_->looked(block);
  if (!block) return;
  while (block->frames > 0) {
    frames_.clear();
    ring_->whole_frames_of(*block, kFramesOfBlock, frames_);
    for (const WholeFrame& whole : frames_) {
      if (whole.frame.captured == whole.frame.original)
        out_.write(whole.header, whole.frame.data, whole.frame.captured);
      else too_long_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

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
  look_at_mtu();
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

// OUT keeps its own: the right to change that was given up.
void InlineRun::look_at_mtu() {
  if (ends_) return;
  const std::optional<std::uint32_t> mtu = current_mtu(in_.interface);  // none: it was removed just now
  if (!mtu || *mtu == in_.mtu) return;
  const std::uint32_t before = std::exchange(in_.mtu, *mtu);
  warn(printable(in_.interface.name) + ": its MTU is " + std::to_string(*mtu) + " now, and was " +
       std::to_string(before) + ": that of " + printable(places_.name_of_out()) + " does not follow");
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
