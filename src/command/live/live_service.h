// What a live capture does besides capturing: it offers metrics, shows a line on the terminal, acts on signals, tells
// the service manager how it does, and sees to it that its end takes no longer than --drain-timeout.
//
// A thread of its own looks when something is due, or a signal has come; nothing of this is on the way of a packet.
//
// Threads: as said at each.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/metrics/metrics_server.h"
#include "base/program/service_manager.h"
#include "command/live/live.h"
#include "command/live/live_state.h"
#include "core/record_writer.h"
#include "core/thread_annotations.h"

namespace warpmeter::inline command {

class LiveService {
 public:
  // Listens for metrics. Throws Error.
  explicit LiveService(const ServiceOptions& options);
  ~LiveService();

  // Whether records are to be shown to a RecordWatch with talkers.
  bool shows_line() const { return line_; }
  // From any thread: the end has taken too long, so that nobody is waited for any more.
  const std::atomic<bool>& gives_up() const { return gives_up_; }
  // Where the metrics are, for people; empty if there are none.
  std::string metrics_url() const;

  // The capture has begun, until the Watching ends. What is referred to must live until then. One at a time.
  class Watching {
   public:
    Watching(LiveService& service, const LiveParts& parts);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

   private:
    LiveService& service_;
  };

  // From any thread: there is no line on the terminal from here on, where a table may follow.
  void end_line();

  // From the thread that exports, between two exports or at the end: closes the files of an interval where a SIGHUP
  // asked for it, tells of a change of the sample, and sends statistics where they are due.
  void between_exports(RecordOutput& output, bool at_end);
  // From any thread: a SIGHUP asked for that, for who closes the files himself, and then takes it back.
  std::atomic<bool>& wants_rotation() { return rotate_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::string metrics_text() const;
  void work(const std::stop_token& stop, const LiveParts& parts);
  std::chrono::milliseconds until_next_look() const;
  void act_on_signals(const LiveParts& parts);
  void act_on_hang_up(const LiveParts& parts);
  void show_line();
  void send_statistics(RecordOutput& output);
  void tell_manager();
  bool is_alive();
  void note_the_end();
  void watch_the_end();
  void tell_the_wait(Clock::duration left) const;
  [[noreturn]] void end_now() const;
  LiveState state() const;
  LiveSampling* sampling() const;  // null: it does not change

  const ServiceOptions options_;
  const bool line_;
  const ServiceManager manager_;
  std::atomic<bool> gives_up_ = false;
  std::atomic<bool> rotate_ = false;
  Clock::time_point next_statistics_{};  // of the thread that exports
  unsigned seen_hang_ups_ = 0, seen_questions_ = 0;
  std::optional<LiveState> shown_;           // what the line told last
  std::optional<Clock::time_point> ending_;  // since when
  bool told_the_wait_ = false;
  std::vector<std::uint64_t> looks_;  // for packets, as the manager was told last
  Clock::time_point next_line_{}, next_status_{}, next_pet_{};
  std::mutex line_mutex_;
  bool line_is_over_ WARPMETER_GUARDED_BY(line_mutex_) = false;
  mutable std::mutex mutex_;
  const LiveParts* parts_ WARPMETER_GUARDED_BY(mutex_) = nullptr;  // while somebody watches
  std::unique_ptr<MetricsServer> server_;
  std::jthread thread_;
};

}  // namespace warpmeter::inline command
