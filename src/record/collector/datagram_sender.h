// Datagrams to one collector over UDP, at a pace. From one thread.
//
// UDP tells of loss only where the collector's host answers that nobody listens on the port (ICMP, some time after the
// datagram). That is counted, and no reason to stop: somebody may listen a moment later. problem() tells of it in the
// end; who sends for longer than a moment is warned meanwhile, once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/collector/collector_options.h"
#include "record/collector/export_report.h"
#include "record/collector/pace.h"
#include "record/collector/socket.h"

namespace warpmeter::inline record {

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

}  // namespace warpmeter::inline record
