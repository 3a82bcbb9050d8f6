// Captures, or frames of your own, to what TCP carried in them, in your program: what `warpmeter reassemble` does, on
// threads of its own, which call consumers of yours.
//
//   class Words : public warpmeter::StreamConsumer {
//     void take(warpmeter::TcpConnection& connection, const warpmeter::StreamBlock& block) override;
//   };
//   Words words;
//   warpmeter::Reassembly run({"trace.pcap"}, {{"block-size", "64K"}, {"filter", "tcp port 80"}}, {&words});
//   run.wait();
//   std::string summary = run.summary();
//
// Each consumer is a channel: it is called by one thread at a time, and gets both directions of whole connections.
// Several are called beside each other, on as many threads as the option "threads" says. Who would rather have blocks
// on threads of its own takes a StreamReader (stream_reader.h).
//
// Options are those of `warpmeter reassemble --help` but for outputs: "block-size", "timeout", "overlap",
// "decapsulate", "memory", "threads", ...; and as of an Extraction "filter" and "also-read". With "spans",
// which takes no value and goes with the overlap policy "first" alone, blocks are not put together: their pieces point
// into the frames, and only what waits for longer than 16 MiB of them is copied. That is for those who pass bytes on
// without looking at them; on its own it saves no time (bench/streams).
//
// Threads and errors: job.h.
#pragma once

#include <string>
#include <vector>

#include "warpmeter/feed.h"
#include "warpmeter/job.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter {

class WARPMETER_PUBLIC Reassembly : public Job {
 public:
  // Begins at once. `inputs`: capture files and folders; "-" is standard input. `channels`: 1 to 64 consumers, each
  // another one, which must outlive it. A consumer that is slow is waited for, and no more is read meanwhile than some
  // thousand packets. Throws Error for options that are wrong by themselves.
  Reassembly(std::vector<std::string> inputs, const Options& options, std::vector<StreamConsumer*> channels);
  Reassembly(FrameFeed feed, const Options& options, std::vector<StreamConsumer*> channels);

  // Until all connections have ended, and their consumers were told. Throws what ended it before, which may be what a
  // consumer threw; then none is called any more, and connections that had not ended are not told of their end.
  //
  // The destructor does not wait for that: consumers get what they are just being given, and no more.
  void wait();
};

}  // namespace warpmeter
