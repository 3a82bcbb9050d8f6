// Captures, or frames of your own, to what TCP carried in them, in your program, while you take it: blocks of bytes,
// and the ends of connections, which own what they have.
//
//   warpmeter::StreamReader run({"trace.pcap"}, {{"block-size", "64K"}});
//   for (std::vector<warpmeter::StreamEvent> events; run.next(events);) {
//     for (const warpmeter::StreamEvent& event : events) {
//       if (event.block()) use(*event.connection, *event.block());
//       else forget(*event.connection, *event.report());
//     }
//   }
//   std::string summary = run.summary();
//
// With several channels as many threads may take beside each other, each from a channel of its own; both directions of
// a connection, and all that it has, are in one of them.
//
// Options: reassembly.h. Errors: job.h.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warpmeter/feed.h"
#include "warpmeter/job.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter {

// One of both: a block, or that the connection has ended. It, and all that is in it, stays as long as the event, or a
// copy of it, which shares its bytes.
class StreamEvent {
 public:
  StreamEvent() = default;
  StreamEvent(std::shared_ptr<TcpConnection> of, std::shared_ptr<const StreamBlock> block)
      : connection(std::move(of)), block_(std::move(block)) {}
  StreamEvent(std::shared_ptr<TcpConnection> of, std::shared_ptr<const ConnectionReport> report)
      : connection(std::move(of)), report_(std::move(report)) {}

  // The same object in all that a connection gives. Its tag is 0 at first, and for whoever takes its channel.
  std::shared_ptr<TcpConnection> connection;

  const StreamBlock* block() const { return block_.get(); }         // null at the end
  const ConnectionReport* report() const { return report_.get(); }  // null before; the connection's last

 private:
  std::shared_ptr<const StreamBlock> block_;
  std::shared_ptr<const ConnectionReport> report_;
};

class WARPMETER_PUBLIC StreamReader : public Job {
 public:
  // Begins at once. `inputs`: capture files and folders; "-" is standard input. `channels`: 1 to 64. In each some MB
  // wait, no more; as long as nobody takes from one, all wait. Throws Error for options that are wrong by themselves.
  StreamReader(std::vector<std::string> inputs, const Options& options, unsigned channels = 1);
  StreamReader(FrameFeed feed, const Options& options, unsigned channels = 1);

  // Waits for the next of the channel and replaces what `events` holds, by all that is there. False: there are no more.
  // Throws Error, and what a feed throws, if the run could not be finished: behind all that it gave.
  //
  // Threads: one at a time for each channel; others may take from others meanwhile.
  bool next(std::vector<StreamEvent>& events, unsigned channel = 0);
};

}  // namespace warpmeter
