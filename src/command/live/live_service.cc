#include "command/live/live_service.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "base/program/terminal.h"
#include "base/words/human_units.h"
#include "command/live/live_state.h"

#ifndef WARPMETER_VERSION
#define WARPMETER_VERSION "unknown"
#endif

namespace warpmeter::inline command {
namespace {

using namespace std::chrono_literals;

// Where nothing is due it looks whether the capture has come to its end; at the end there is a limit to keep to. To
// wake up costs as much as some hundred packets.
constexpr std::chrono::milliseconds kLookEvery = 500ms, kLookOften = 100ms;
constexpr std::chrono::milliseconds kLineEvery = 1s, kStatusEvery = 5s;
constexpr std::chrono::seconds kPatience = 2s;  // of a user who ended the capture and sees nothing happen
constexpr std::chrono::seconds kGrace = 2s;     // behind the drain timeout, for the messages of those who gave up
constexpr int kPetsAPeriod = 4;                 // of the watchdog
constexpr std::size_t kTalkers = 3, kUsualColumns = 80;
constexpr const char* kWipeLine = "\r\033[K";

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

}  // namespace

LiveService::LiveService(const ServiceOptions& options)
    : options_(options), line_(options.status_line && !options.quiet && can_redraw(STDERR_FILENO)) {
  if (options.metrics) server_ = std::make_unique<MetricsServer>(*options.metrics, [this] { return metrics_text(); });
}

LiveService::~LiveService() = default;

std::string LiveService::metrics_url() const {
  return server_ ? "http://" + server_->address().name() + "/metrics" : "";
}

LiveState LiveService::state() const {
  const std::lock_guard lock(mutex_);
  return parts_ ? parts_->state() : LiveState{};
}

LiveSampling* LiveService::sampling() const {
  const std::lock_guard lock(mutex_);
  return parts_ ? parts_->sampling : nullptr;
}

std::string LiveService::metrics_text() const { return live_metrics(state(), WARPMETER_VERSION); }

LiveService::Watching::Watching(LiveService& service, const LiveParts& parts) : service_(service) {
  {
    const std::lock_guard lock(service.mutex_);
    service.parts_ = &parts;
  }
  service.manager_.tell("READY=1\nSTATUS=capturing");
  service.thread_ = std::jthread([&service, &parts](const std::stop_token& stop) { service.work(stop, parts); });
}

LiveService::Watching::~Watching() {
  service_.thread_.request_stop();
  service_.thread_.join();
  service_.note_the_end();  // it may all have been over between two looks
  service_.end_line();
  const std::lock_guard lock(service_.mutex_);
  service_.parts_ = nullptr;
}

void LiveService::work(const std::stop_token& stop, const LiveParts& parts) {
  LiveSampling* const sampling = parts.sampling;
  LiveRounds* const rounds = parts.rounds;
  const std::stop_callback ends_wait(stop, end_wait_for_signal);
  for (;;) {
    wait_for_signal(sampling || rounds ? kLookOften : until_next_look());  // rings fill quickly
    if (stop.stop_requested()) return;
    act_on_signals(parts);
    if (sampling) sampling->look(parts.source.ring_counts());
    if (rounds) rounds->look(parts.source.ring_counts());
    if (parts.source.wants_to_stop()) note_the_end();
    if (line_) show_line();
    if (manager_.is_there()) tell_manager();
    if (ending_) watch_the_end();
  }
}

// How long to sleep if no signal comes.
std::chrono::milliseconds LiveService::until_next_look() const {
  if (ending_) return kLookOften;
  const Clock::time_point now = Clock::now();
  Clock::time_point next = now + kLookEvery;
  if (line_) next = std::min(next, next_line_);
  if (manager_.is_there()) next = std::min(next, next_status_);
  if (manager_.watchdog()) next = std::min(next, next_pet_);
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(next - now), kLookOften);
}

void LiveService::note_the_end() {
  if (ending_) return;
  ending_ = Clock::now();
  manager_.tell("STOPPING=1\nSTATUS=writing what was metered");
}

void LiveService::act_on_signals(const LiveParts& parts) {
  if (!options_.signals) return;
  const unsigned questions = options_.signals->questions, hang_ups = options_.signals->hang_ups;
  if (std::exchange(seen_questions_, questions) != questions) {
    say(summary_so_far(state()));
  }
  if (std::exchange(seen_hang_ups_, hang_ups) != hang_ups) act_on_hang_up(parts);
}

void LiveService::act_on_hang_up(const LiveParts& parts) {
  if (options_.signals->terminal_is_gone()) {
    parts.source.end();
    return;
  }
  if (parts.reload) parts.reload->ask();
  if (options_.rotates) rotate_ = true;
  else if (!parts.reload) warn("SIGHUP: no output has --rotate TIME, so none has a file to be closed before the end");
}

void LiveService::between_exports(RecordOutput& output, bool at_end) {
  if (rotate_.exchange(false)) output.rotate();
  if (LiveSampling* const sampling = this->sampling()) sampling->between_exports(output, at_end);
  if (options_.statistics.count() == 0 || (!at_end && Clock::now() < next_statistics_)) return;
  next_statistics_ = Clock::now() + options_.statistics;
  send_statistics(output);
}

void LiveService::send_statistics(RecordOutput& output) {
  output.flush();  // all records so far are on their way
  output.write_statistics(statistics_of(state()));
  output.flush();
}

void LiveService::show_line() {
  if (Clock::now() < next_line_) return;
  next_line_ = Clock::now() + kLineEvery;
  LiveState now = state();
  std::vector<TopHost> talkers;
  {
    const std::lock_guard lock(mutex_);
    talkers = parts_->top_talkers(kTalkers, shown_ ? now.up_seconds - shown_->up_seconds : now.up_seconds);
  }
  const std::lock_guard lock(line_mutex_);
  if (line_is_over_) return;
  if (shown_) draw_line(kWipeLine + cut_to_columns(status_line(now, *shown_, talkers), terminal_columns() - 1));
  shown_ = std::move(now);
}

void LiveService::end_line() {
  const std::lock_guard lock(line_mutex_);
  line_is_over_ = true;
  wipe_line();
}

void LiveService::tell_manager() {
  const auto now = Clock::now();
  if (now >= next_status_ && !ending_) {
    const LiveState is = state();
    next_status_ = now + kStatusEvery;
    manager_.tell(fmt::format("STATUS={} packets metered, {} lost, {} live flows", is.metering.metered, is.lost(),
                              is.metering.live_flows));
  }
  if (!manager_.watchdog() || now < next_pet_) return;
  next_pet_ = now + *manager_.watchdog() / kPetsAPeriod;
  if (is_alive()) manager_.tell("WATCHDOG=1");
}

// For the watchdog: every ring was polled since the last call, or the capture ends, for which there is another limit.
bool LiveService::is_alive() {
  if (ending_) return true;
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> looks = parts_->source.polls();
  looks_.resize(looks.size());
  const bool alive = std::ranges::equal(looks_, looks, std::ranges::not_equal_to());
  looks_ = std::move(looks);
  return alive;
}

void LiveService::watch_the_end() {
  const auto since = Clock::now() - *ending_;
  if (since >= kPatience && !std::exchange(told_the_wait_, true)) tell_the_wait(options_.drain_timeout - since);
  if (since < options_.drain_timeout) return;
  gives_up_ = true;  // each part that loses something by that says so
  if (since >= options_.drain_timeout + kGrace) end_now();
}

void LiveService::tell_the_wait(Clock::duration left) const {
  if (options_.quiet || left < 1s) return;
  const LiveState is = state();
  std::string text = fmt::format("warpmeter: outputs have another {} s (--drain-timeout) to take what was metered",
                                 std::chrono::round<std::chrono::seconds>(left).count());
  if (is.streams && is.streams->queued_bytes > 0) {
    text += "; the detector has " + human_bytes(static_cast<double>(is.streams->queued_bytes)) + " to read";
  }
  say(text + "\n");
}

// Some output holds up the rest. What is complete has its name; whatever else there is of this process goes with it.
void LiveService::end_now() const {
  const LiveState is = state();
  const std::uint64_t known = is.metering.ended_flows + is.metering.live_flows;
  const std::uint64_t left = known - std::min(known, is.records.flushed);
  warn(
      fmt::format("ended by --drain-timeout while an output takes nothing: of {} packets metered, up to {} Flow "
                  "Records are lost, and those in files that have no names yet; files that have names are complete",
                  is.metering.metered, left));
  _exit(static_cast<int>(ExitStatus::failed));
}

}  // namespace warpmeter::inline command
