// One TCP connection to a collector and the IPFIX Transport Session on it (RFC 7011, section 10.4): Templates first,
// Sequence Numbers from 0. From one thread; nothing here waits but connect_tcp().
//
// Messages are kept until the collector's host has acknowledged all of their bytes, so that they can be sent again on
// another connection. That the collector itself has read them, TCP tells only at the end: a collector that has read all
// closes its side, and one that has not resets the connection or keeps silent. Until then what may lie unread in its
// host's memory is limited by the largest window that the host can offer.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "core/ipfix_header.h"
#include "core/message_format.h"
#include "record/collector/export_report.h"
#include "record/collector/socket.h"

namespace warpmeter::inline record {

// Tries the addresses in turn until one answers, each for a few seconds at most. No descriptor if none did or `give_up`
// said true, which is asked ten times a second; `reason` then says what the last one said.
Descriptor connect_tcp(const std::vector<SocketAddress>& addresses, const std::function<bool()>& give_up,
                       std::string& reason);

class TcpSession {
 public:
  // Of a connected socket. Counts in `counters` what goes out. A host that is silent for `patience` while bytes are
  // in flight is gone; while nothing is, probes tell.
  TcpSession(Descriptor socket, const std::vector<IpfixMessage>& templates, std::chrono::milliseconds patience,
             ExportCounters& counters);

  // Whether all that was taken is with the kernel, so that more is welcome.
  bool written() const { return written_ == taken_; }
  void take(IpfixMessage message) { take(std::move(message), false); }
  // Hands bytes to the kernel until it has no room. False if the connection is broken; why() says how.
  bool write();
  // Looks what has been acknowledged. False if the connection is broken.
  bool look();
  bool acknowledged() const { return kept_.empty(); }

  // Bytes of the stream: handed over with take(), of these acknowledged, and of these the Templates at its beginning.
  std::uint64_t taken_bytes() const { return taken_; }
  std::uint64_t acknowledged_bytes() const { return acknowledged_; }
  std::uint64_t template_bytes() const { return templates_; }
  // Where the window ends that the host offers. While nothing is sent, that grows only if the collector reads.
  std::uint64_t window_end() const { return acknowledged_ + window_; }

  // Records that were acknowledged, but the collector may not have read them.
  std::uint64_t doubtful_records() const;
  // Whether it has read something, for sure.
  bool surely_read() const { return acknowledged_ > templates_ + most_unread_; }

  // REQUIRES: acknowledged(). Ends the stream; then end_of_peer() tells whether the collector has read it to its end.
  void end_stream();
  enum class PeerEnd { open, closed, broken };
  PeerEnd end_of_peer();

  // After a break: the messages that may not have arrived, without the Templates, as they were taken.
  std::deque<IpfixMessage> unacknowledged();

  int fd() const { return socket_.get(); }
  const std::string& why() const { return why_; }

 private:
  struct Kept {
    IpfixMessage message;
    std::uint64_t end;  // bytes of the stream up to its end
    bool is_template;
  };
  struct Past {
    std::uint64_t end;  // as of Kept
    std::uint32_t records;
  };
  void take(IpfixMessage message, bool is_template);
  bool write_rest(const Kept& kept);
  void forget_acknowledged(std::uint64_t until);
  bool discard_input();
  bool broken(int error);

  Descriptor socket_;
  const std::chrono::milliseconds patience_;
  const std::uint64_t most_unread_;  // bytes that the host may hold for a collector that does not read
  SequenceNumbers numbers_;
  std::deque<Kept> kept_;  // in the stream's order; the last may not be written yet
  std::deque<Past> past_;  // acknowledged, and perhaps not read
  std::uint64_t taken_ = 0, written_ = 0, acknowledged_ = 0, templates_ = 0;  // bytes of the stream up to there
  std::uint64_t window_ = 0;                                                  // bytes that the host offers to take
  std::chrono::steady_clock::time_point unacknowledged_since_;  // since then something has been, without a pause
  bool peer_closed_ = false;
  std::string why_;
  ExportCounters& counters_;
};

}  // namespace warpmeter::inline record
