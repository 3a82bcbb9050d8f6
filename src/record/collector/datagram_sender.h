// Datagrams to one collector over UDP, at a pace, and when Templates go again. From one thread.
//
// UDP tells of loss only where the collector's host answers that nobody listens on the port (ICMP, some time after the
// datagram). That is counted, and no reason to stop: somebody may listen a moment later. problem() tells of it in the
// end; who sends for longer than a moment is warned meanwhile, once.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "record/collector/collector_options.h"
#include "record/collector/export_report.h"
#include "record/collector/socket.h"

namespace warpmeter::inline record {

// Not faster than so many records a second: collectors over UDP lose what comes faster than they take it from their
// socket's buffer. Messages go evenly, for that buffer holds some hundred only.
//
// Who is interrupted has ten seconds more for what is left: at a low pace that may take hours.
class Pace {
 public:
  // `interrupted`: it is to come to an end; `gives_up`: at once. Either may be empty.
  explicit Pace(std::uint64_t records_per_second, std::function<bool()> interrupted = {},
                const std::atomic<bool>* gives_up = nullptr)
      : per_second_(static_cast<double>(records_per_second)),
        interrupted_(std::move(interrupted)),
        gives_up_(gives_up) {}

  // Waits until `records` more may go. False: they may not, for that would take too long, and so it stays.
  bool wait_for(std::uint64_t records) {
    if (per_second_ == 0) return true;
    const Clock::time_point now = Clock::now();
    if (over_ || (next_ > now && !wait_until_next())) return false;
    if (next_ <= now && now - next_ > kCatchUp) next_ = now - kCatchUp;
    next_ += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(static_cast<double>(records) / per_second_));
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kCatchUp = std::chrono::milliseconds(2);  // what sleeping too long may win back
  static constexpr Clock::duration kLook = std::chrono::milliseconds(50);
  static constexpr Clock::duration kInterruptedPatience = std::chrono::seconds(10);  // a million at the usual pace

  bool wait_until_next() {
    for (;;) {
      const Clock::time_point now = Clock::now();
      if (!end_ && interrupted_ && interrupted_()) end_ = now + kInterruptedPatience;
      over_ = (end_ && std::max(next_, now) > *end_) || (gives_up_ && *gives_up_);
      if (over_) return false;
      if (next_ <= now) return true;
      std::this_thread::sleep_until(std::min(next_, now + kLook));
    }
  }

  const double per_second_;
  const std::function<bool()> interrupted_;
  const std::atomic<bool>* const gives_up_;
  Clock::time_point next_;
  std::optional<Clock::time_point> end_;  // once it is interrupted
  bool over_ = false;
};

class DatagramSender {
 public:
  // Throws Error where none of the addresses can be sent to, or the MTU makes no sense. REQUIRES: an address.
  DatagramSender(const CollectorOptions& options, std::vector<SocketAddress> addresses);

  // Bytes of a datagram that goes in one packet, to whichever of the addresses.
  std::size_t largest() const { return largest_; }

  // Waits as the pace asks, but no longer than a second once the options say `interrupted`. False if it did not even
  // leave. `records`: Data Records in it; `flow_records`: of these.
  bool send(const std::vector<std::uint8_t>& bytes, std::uint64_t records, std::uint64_t flow_records);

  // To be asked after the first datagrams: true if they were refused and the host has another address, to which they
  // have to be sent again. What was counted is forgotten then. "localhost" often is ::1 first and 127.0.0.1 second.
  bool moved_on();

  // After the last datagram: waits a little for what the network may still say of it.
  void settle();

  // messages, bytes and refused_messages.
  const ExportCounters& counters() const { return counters_; }
  std::string problem() const;

 private:
  bool connect_to(const SocketAddress& address);
  bool send_now(const std::vector<std::uint8_t>& bytes);
  void warn_of_trouble();
  void look_for_refusal();

  const std::string name_;
  const std::function<void(const std::string&)> warn_;
  const std::vector<SocketAddress> addresses_;
  std::size_t at_ = 0;  // among the addresses
  std::size_t largest_ = 0;
  Descriptor socket_;
  Pace pace_;
  ExportCounters counters_;
  std::uint64_t unsent_ = 0;  // messages that did not even leave
  int unsent_error_ = 0;
  std::uint64_t flow_records_ = 0, too_late_ = 0;               // all; of messages that were not waited for
  std::optional<std::chrono::steady_clock::time_point> begun_;  // the first send()
  bool warned_ = false;
};

// When Templates are due again over UDP, where nobody says whether they arrived (RFC 7011, section 8.4).
class TemplateRefresh {
 public:
  TemplateRefresh(std::chrono::milliseconds every, std::uint64_t messages) : every_(every), messages_(messages) {}

  bool due() const { return since_ >= messages_ || Clock::now() - sent_ >= every_; }
  void templates_sent() {
    since_ = 0;
    sent_ = Clock::now();
  }
  void message_sent() { ++since_; }

 private:
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds every_;
  const std::uint64_t messages_;
  std::uint64_t since_ = 0;
  Clock::time_point sent_;
};

}  // namespace warpmeter::inline record
