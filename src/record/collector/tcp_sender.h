// The thread that sends messages from a queue over TCP and connects again when the connection breaks.
//
// A collector that takes too little for `timeout` although messages wait is given up: what waits and what comes is lost
// and counted, until a connection succeeds, which is tried every few seconds. One that answers and then takes nothing
// again, as a host does for a collector that never reads, is waited for half as long each time, and tried half as
// often.
//
// At the end the collector is to close its side, too: it has read all then. If it does not, what it may not have read
// is counted as lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "record/collector/collector_options.h"
#include "record/collector/export_report.h"
#include "record/collector/message_queue.h"
#include "record/collector/tcp_session.h"

namespace warpmeter::inline record {

// Whether a collector goes on taking what is sent: at least kLeastBytesPerSecond over its patience, or all that there
// was to take. A byte now and then is no progress. Counts bytes of
// one connection. Threads: one.
class CollectorProgress {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kLeastBytesPerSecond = 4096;

  explicit CollectorProgress(std::chrono::milliseconds patience)
      : least_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(patience.count()) * kLeastBytesPerSecond / 1000)) {
  }

  // The last time that there was some, or nothing to wait for.
  Clock::time_point since() const { return since_; }
  void reset() { since_ = Clock::now(); }

  // On a new connection whose first bytes are no progress: what is beyond them is.
  void aim_beyond(std::uint64_t bytes) { goal_ = bytes + 1; }

  // So many bytes were taken, of `handed` that were there to take.
  void saw(std::uint64_t taken, std::uint64_t handed) {
    if (taken < goal_) return;
    goal_ = std::min(taken + least_, handed);
    since_ = Clock::now();
  }

 private:
  std::uint64_t least_;
  std::uint64_t goal_ = 0;
  Clock::time_point since_ = Clock::now();
};

class TcpSender {
 public:
  // `connection` is a connected one. `queue` and `known` must outlive the sender.
  TcpSender(const CollectorOptions& options, std::vector<SocketAddress> addresses, Descriptor connection,
            std::vector<IpfixMessage> templates, MessageQueue& queue, KnownState& known);

  // The thread's function. Returns when the queue is closed and all was read or is lost, or after stop() and close().
  void run();
  void stop() { stop_ = true; }

  // After run().
  const ExportCounters& counters() const { return counters_; }
  const std::string& reason() const { return reason_; }  // of the last loss or break

 private:
  using Clock = std::chrono::steady_clock;

  void tell() { known_.set({counters_, 0, session_.has_value()}); }
  void transmit();
  void reconnect();
  bool done() const;
  bool waiting() const;
  std::optional<IpfixMessage> next_message();
  void start_session(Descriptor connection);
  void lose_session();
  void confirm();
  std::string why_unwilling() const;
  void give_up_unwilling(const std::string& why);
  void give_up();
  void lose(const std::deque<IpfixMessage>& messages);
  void lose_doubtful(std::uint64_t records);
  bool out_of_patience();
  bool waited_for(std::chrono::milliseconds patience);
  void wait(std::chrono::milliseconds patience);
  void warn(const std::string& what) const;

  const CollectorOptions options_;
  const std::vector<SocketAddress> addresses_;
  std::vector<IpfixMessage> templates_;  // what every session begins with
  MessageQueue& queue_;
  KnownState& known_;
  std::optional<TcpSession> session_;
  std::deque<IpfixMessage> again_;  // may not have arrived over an earlier connection
  std::atomic<bool> stop_ = false;
  bool given_up_ = false;
  bool told_ = false;           // users, that it is not there, in one line for each time
  std::uint64_t doubtful_ = 0;  // records: as TcpSession has them, of connections that broke since it surely read
  int breaks_ = 0;              // in a row, soon, and before it had surely read
  Clock::time_point session_start_;
  bool lasting_ = false;  // records have been acknowledged on this connection
  CollectorProgress progress_;
  std::chrono::milliseconds patience_;            // without progress
  std::chrono::milliseconds pause_;               // before the next connection to one that took nothing
  std::optional<Clock::time_point> interrupted_;  // when that was seen
  Clock::time_point next_attempt_;
  std::chrono::milliseconds backoff_;
  std::chrono::milliseconds look_;  // how soon to look what has been acknowledged, at the end
  ExportCounters counters_;
  std::string reason_, broken_;  // the latter of the last break
};

}  // namespace warpmeter::inline record
