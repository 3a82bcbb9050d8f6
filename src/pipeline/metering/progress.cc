#include "pipeline/metering/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "base/program/messages.h"
#include "base/program/terminal.h"
#include "base/words/human_units.h"

namespace warpmeter::inline pipeline {
namespace {

constexpr auto kEvery = std::chrono::milliseconds(500), kToldEvery = std::chrono::milliseconds(100);
constexpr const char* kWipe = "\r\033[K";

// An estimate, no measurement: "about 40 s", "about 3 min".
std::string rough_time(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 10) return "less than 10 s";
  if (seconds < 0.95 * kMinute) return fmt::format("about {:.0f} s", 10 * std::round(seconds / 10));
  if (seconds < 0.95 * kHour) return fmt::format("about {:.0f} min", std::round(seconds / kMinute));
  if (seconds < 2 * kDay) return fmt::format("about {:.0f} h", std::round(seconds / kHour));
  return fmt::format("about {:.0f} days", std::round(seconds / kDay));
}

}  // namespace

Progress::Progress(const PacketSource& source, bool wanted, Tell tell)
    : source_(source),
      shows_(wanted && can_redraw(STDERR_FILENO)),
      tell_(std::move(tell)),
      start_(std::chrono::steady_clock::now()) {
  if (shows_ || tell_) thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (tell_) tell_(so_far());
  if (shows_) say(kWipe);
}

void Progress::show(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any tick;
  std::unique_lock lock(mutex);
  const auto every = tell_ ? kToldEvery : kEvery;
  while (!tick.wait_for(lock, stop, every, [] { return false; }) && !stop.stop_requested()) {
    if (tell_) tell_(so_far());
    if (shows_) print_line();
  }
}

ReadingProgress Progress::so_far() const {
  return {source_.bytes_read(), source_.bytes_in_all(), source_.frames_read()};
}

void Progress::print_line() const {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const auto bytes = static_cast<double>(source_.bytes_read());
  const auto all = static_cast<double>(source_.bytes_in_all());
  std::string line = human_bytes(bytes);
  if (all > 0) line += fmt::format(" of {} ({:.0f} %)", human_bytes(all), 100 * bytes / all);
  line += fmt::format(", {} packets/s", human_count(static_cast<double>(source_.frames_read()) / seconds));
  if (all > bytes && bytes > 0) line += fmt::format(", {} left", rough_time(seconds * (all - bytes) / bytes));
  say(kWipe + line);
}

}  // namespace warpmeter::inline pipeline
