// Streams out of a source: worker threads that take frames, and give what TCP carried in them to consumers.
//
// Shards are put together in channels, each of which sees the batches in trace order and is one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/counters.h"
#include "packet/decode/decoder.h"
#include "packet/file/packet_source.h"
#include "stream/reassembly/reassembler.h"
#include "stream/reassembly/reassembler_options.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

struct ReassemblyOptions {
  DecodeOptions decode;
  ReassemblerOptions streams;
  unsigned threads = 1;
  // With spans: so many bytes of the latest frames stay, and with them what streams point to. Most blocks are full
  // before their frames have to go.
  std::uint64_t span_window = 16 << 20;
};

class StreamReassembly {
 public:
  static constexpr unsigned kChannels = 16;

  // Channel i is `channels[i]`'s: each is called by one thread at a time, not always the same. 1 to kShards of
  // them. What is referred to must outlive it.
  StreamReassembly(const ReassemblyOptions& options, PacketSource& source, std::span<StreamConsumer* const> channels);
  ~StreamReassembly();

  // To the end of the source, and of all connections. Throws what a thread, or a consumer, threw.
  void run();

  // After run().
  const DecodeCounters& decode_counters() const;
  ReassemblyCounters counters() const;

 private:
  class Work;
  const std::unique_ptr<Work> work_;
};

}  // namespace warpmeter::inline command
