// One TCP connection to a collector and the IPFIX Transport Session on it (RFC 7011, section 10.4): Templates first,
// Sequence Numbers from 0. From one thread; nothing here waits but connect_tcp().
//
// Messages are kept until the collector's host has acknowledged all of their bytes, so that they can be sent again on
// another connection. (That the collector itself has read them, TCP does not tell.)
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "transport/export_report.h"
#include "transport/sequence_numbers.h"
#include "transport/socket.h"
#include "warpmeter/message_sink.h"

namespace warpmeter {

// Tries the addresses in turn until one answers, each for a few seconds at most. No descriptor if none did or `give_up`
// said true, which is asked ten times a second; `reason` then says what the last one said. A peer that is gone is
// noticed later: after half of `timeout` while bytes are under way, else by probes.
Descriptor connect_tcp(const std::vector<SocketAddress>& addresses, std::chrono::milliseconds timeout,
                       const std::function<bool()>& give_up, std::string& reason);

class TcpSession {
 public:
  // Of a connected socket. Counts in `counters` what goes out.
  TcpSession(Descriptor socket, const std::vector<IpfixMessage>& templates, ExportCounters& counters);

  // Whether all that was taken is with the kernel, so that more is welcome.
  bool written() const { return written_ == taken_; }
  void take(IpfixMessage message) { take(std::move(message), false); }
  // Hands bytes to the kernel until it has no room. False if the connection is broken; why() says how.
  bool write();
  // Looks what has been acknowledged. True if there was more of what came with take().
  bool forget_acknowledged();
  bool acknowledged() const { return kept_.empty(); }
  // Ends the stream and waits a moment for the collector to close its side, which it does when it has read all.
  void finish();

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
  void take(IpfixMessage message, bool is_template);
  bool write_rest(const Kept& kept);
  bool discard_input();
  bool broken(int error);

  Descriptor socket_;
  SequenceNumbers numbers_;
  std::deque<Kept> kept_;  // in the stream's order; the last may not be written yet
  std::uint64_t taken_ = 0, written_ = 0, acknowledged_ = 0, templates_ = 0;  // bytes of the stream up to there
  std::string why_;
  ExportCounters& counters_;
};

}  // namespace warpmeter
