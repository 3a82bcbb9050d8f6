// What a channel's connections go through on their way to the outputs: they are counted for the summary, and given to
// each output. A connection has one tag, each output one of its own for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

// Of connections that have ended.
struct StreamTotals {
  static constexpr std::size_t kReasons = 8;

  std::uint64_t connections = 0;
  std::uint64_t complete = 0;  // in both directions
  std::uint64_t blocks = 0;    // of these and of others
  std::uint64_t gaps = 0;
  StreamCounters counters;                        // of both directions
  std::array<std::uint64_t, kReasons> ends = {};  // connections, by StreamReason

  void add(const StreamTotals& other);
};

// Threads: as its consumers.
class ChannelOutputs final : public StreamConsumer {
 public:
  // Who must outlive it.
  explicit ChannelOutputs(std::vector<StreamConsumer*> outputs) : outputs_(std::move(outputs)) {}

  void opened(TcpConnection& connection) override;
  void take(TcpConnection& connection, const StreamBlock& block) override;
  void ended(TcpConnection& connection, const ConnectionReport& report) override;

  const StreamTotals& totals() const { return totals_; }

 private:
  void take_tags(TcpConnection& connection);
  template <class Call>
  void for_each(TcpConnection& connection, const Call& call);

  const std::vector<StreamConsumer*> outputs_;
  std::vector<std::uint64_t> tags_;  // of several outputs: of each connection one for each of them
  std::vector<std::uint64_t> free_;  // a connection's own tags: where its others are, and 1
  StreamTotals totals_;
};

}  // namespace warpmeter::inline command
