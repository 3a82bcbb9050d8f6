// The thread that sends messages from a queue over TCP and connects again when the connection breaks.
//
// A collector that takes nothing for `timeout` although messages wait is given up: what waits and what comes is lost
// and counted, until a connection succeeds, which is tried every few seconds.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "transport/collector_options.h"
#include "transport/export_report.h"
#include "transport/message_queue.h"
#include "transport/tcp_session.h"

namespace warpmeter {

class TcpSender {
 public:
  // `connection` is a connected one. `queue` must outlive the sender.
  TcpSender(const CollectorOptions& options, std::vector<SocketAddress> addresses, Descriptor connection,
            std::vector<IpfixMessage> templates, MessageQueue& queue);

  // The thread's function. Returns when the queue is closed and all was acknowledged or is lost, or after stop() and
  // close().
  void run();
  void stop() { stop_ = true; }

  // After run().
  const ExportCounters& counters() const { return counters_; }
  const std::string& reason() const { return reason_; }  // of the last loss or break

 private:
  using Clock = std::chrono::steady_clock;

  void transmit();
  void reconnect();
  bool done() const;
  bool waiting() const;
  std::optional<IpfixMessage> next_message();
  void start_session(Descriptor connection);
  void lose_session();
  void give_up();
  void lose(const std::deque<IpfixMessage>& messages);
  bool out_of_patience();
  void wait(std::chrono::milliseconds patience);
  void warn(const std::string& what) const;

  const CollectorOptions options_;
  const std::vector<SocketAddress> addresses_;
  std::vector<IpfixMessage> templates_;  // what every session begins with
  MessageQueue& queue_;
  std::optional<TcpSession> session_;
  std::deque<IpfixMessage> again_;  // may not have arrived over an earlier connection
  std::atomic<bool> stop_ = false;
  bool given_up_ = false;
  bool lasting_ = false;                          // something has been acknowledged on this connection
  Clock::time_point progress_;                    // the last time that something was, or nothing waited
  std::optional<Clock::time_point> interrupted_;  // when that was seen
  Clock::time_point next_attempt_;
  std::chrono::milliseconds backoff_;
  std::chrono::milliseconds look_;  // how soon to look what has been acknowledged, at the end
  ExportCounters counters_;
  std::string reason_;
};

}  // namespace warpmeter
