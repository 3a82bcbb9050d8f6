// Streams as the product puts them together from a capture in memory, in the oracle's form, to be compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command/reassemble/stream_reassembly.h"
#include "packet/file/packet_source.h"
#include "reference/capture.h"
#include "reference/stream_traffic.h"

namespace warpmeter::test {

// So many frames at once. They are copies that go with their lease, unless the capture outlives all that is made of it.
class FramesInMemory : public PacketSource {
 public:
  // Frames go with the leases of their block.
  FramesInMemory(std::span<const reference::Frame> frames, std::size_t at_once) : frames_(frames), at_once_(at_once) {}

  bool ends() const override { return true; }
  bool repeatable() const override { return false; }

 private:
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    if (next_ == frames_.size()) return false;
    const auto given = frames_.subspan(next_, std::min(at_once_, frames_.size() - next_));
    next_ += given.size();
    const auto copies = std::make_shared<std::vector<std::vector<std::uint8_t>>>();
    for (const reference::Frame& frame : given) {
      const std::span<const std::uint8_t> whole = frame.bytes.slice(0, frame.bytes.size());
      const std::vector<std::uint8_t>& bytes = copies->emplace_back(whole.begin(), whole.end());
      chunk.block.frames.push_back({bytes.data(), frame.time, static_cast<std::uint32_t>(bytes.size()),
                                    static_cast<std::uint32_t>(frame.original),
                                    static_cast<std::uint16_t>(frame.link)});
    }
    chunk.block.leases.push_back(copies);
    return true;
  }

  const std::span<const reference::Frame> frames_;
  const std::size_t at_once_;
  std::size_t next_ = 0;
};

inline reference::Reason reason_of(StreamReason reason) {
  switch (reason) {
    case StreamReason::size: return reference::Reason::size;
    case StreamReason::fin: return reference::Reason::fin;
    case StreamReason::rst: return reference::Reason::rst;
    case StreamReason::timeout: return reference::Reason::timeout;
    case StreamReason::reuse: return reference::Reason::reuse;
    case StreamReason::end: return reference::Reason::end;
    case StreamReason::memory:
    case StreamReason::none: break;
  }
  return reference::Reason::none;
}

inline std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// What one channel was given. It fails where calls come in an order that they may not have.
class Collector : public StreamConsumer {
 public:
  explicit Collector(bool spans) : spans_(spans) {}

  void opened(TcpConnection& connection) override {
    EXPECT_EQ(connection.tag, 0u);
    connection.tag = connections_.size() + 1;
    reference::StreamConnection& made = connections_.emplace_back();
    const FlowKey& key = connection.key;
    made.version = key.version;
    std::copy_n(key.source, 16, made.ends[0].address.begin());
    std::copy_n(key.destination, 16, made.ends[1].address.begin());
    made.ends[0].port = port_number(key.source_port);
    made.ends[1].port = port_number(key.destination_port);
    made.opened_packet = number(connection.opened_packet);
    made.opened_in_frame = number(connection.opened_in_frame);
    made.opened_time = connection.opened_ns;
    ended_.push_back(false);
  }

  void take(TcpConnection& connection, const StreamBlock& block) override {
    EXPECT_FALSE(ended_.at(connection.tag - 1));
    EXPECT_FALSE(block.sub_blocks.empty());
    reference::StreamBlock made{reason_of(block.reason), number(block.packet), {}};
    for (const SubBlock& sub_block : block.sub_blocks) made.parts.push_back(part_of(sub_block));
    connections_[connection.tag - 1].blocks.push_back(std::move(made));
  }

  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    EXPECT_FALSE(ended_.at(connection.tag - 1));
    ended_[connection.tag - 1] = true;
    reference::StreamConnection& made = connections_[connection.tag - 1];
    made.latest_time = report.last_ns;
    made.end = reason_of(report.end);
    made.max_buffered = number(report.max_buffered);
    for (int side = 0; side < 2; ++side) made.ways[side] = way_of(report.directions[side]);
  }

  std::vector<reference::StreamConnection> connections() {
    EXPECT_EQ(std::count(ended_.begin(), ended_.end(), false), 0) << "connections without an end";
    return std::move(connections_);
  }

 private:
  reference::StreamPart part_of(const SubBlock& sub_block) const {
    reference::StreamPart part{static_cast<int>(sub_block.side), number(sub_block.offset), number(sub_block.gap), {}};
    for (const StreamPiece& piece : sub_block.pieces) part.bytes.insert(part.bytes.end(), piece.begin(), piece.end());
    EXPECT_EQ(part.bytes.size(), sub_block.length);
    EXPECT_TRUE(spans_ || sub_block.pieces.size() == 1);
    return part;
  }

  static reference::StreamWay way_of(const StreamDirection& direction) {
    reference::StreamWay way;
#define WARPMETER_ONE(name) way.counts.name = number(direction.counters.name);
    WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
    way.syn = direction.syn;
    way.fin = direction.fin;
    way.finished = direction.finished;
    way.complete = direction.complete;
    for (const StreamGap& gap : direction.gaps) way.gaps.emplace_back(number(gap.offset), number(gap.length));
    return way;
  }

  const bool spans_;
  std::vector<reference::StreamConnection> connections_;  // by tag, less 1
  std::vector<bool> ended_;
};

// What may not show in streams.
struct StreamSetting {
  unsigned threads = 1;
  std::size_t at_once = 512;  // frames
  std::size_t channels = StreamReassembly::kChannels;
  bool spans = false;
  std::uint64_t memory = 0;
  std::uint64_t span_window = 8 << 10;
  bool each_packet = false;
};

inline std::ostream& operator<<(std::ostream& out, const StreamSetting& s) {
  return out << s.threads << " threads, " << s.at_once << " frames at once, " << s.channels << " channels"
             << (s.spans ? ", spans within " + std::to_string(s.span_window) : "") << ", memory " << s.memory;
}

inline OverlapPolicy policy_of(reference::Overlap overlap) {
  switch (overlap) {
    case reference::Overlap::first: break;
    case reference::Overlap::last: return OverlapPolicy::last;
    case reference::Overlap::bsd: return OverlapPolicy::bsd;
    case reference::Overlap::linux_: return OverlapPolicy::linux_;
    case reference::Overlap::windows: return OverlapPolicy::windows;
  }
  return OverlapPolicy::first;
}

struct Reassembled {
  reference::Streams streams;
  ReassemblyCounters counters;
};

inline ReassemblerOptions options_of(const reference::StreamOptions& wanted, const StreamSetting& setting) {
  ReassemblerOptions options;
  options.block_size = static_cast<std::uint32_t>(wanted.block_size);
  options.timeout_ns = wanted.timeout;
  options.gap_packets = static_cast<std::uint32_t>(wanted.gap_packets);
  options.overlap = policy_of(wanted.overlap);
  options.memory = setting.memory;
  options.spans = setting.spans;
  options.each_packet = setting.each_packet;
  return options;
}

inline Reassembled reassembled(const reference::Capture& capture, const reference::StreamOptions& wanted,
                               const StreamSetting& setting) {
  FramesInMemory source(capture.frames, setting.at_once);
  ReassemblyOptions options;
  options.decode.decapsulate = wanted.decapsulate;
  options.streams = options_of(wanted, setting);
  options.threads = setting.threads;
  options.span_window = setting.span_window;
  std::vector<std::unique_ptr<Collector>> collectors;
  std::vector<StreamConsumer*> channels;
  for (std::size_t i = 0; i < setting.channels; ++i) {
    collectors.push_back(std::make_unique<Collector>(setting.spans));
    channels.push_back(collectors.back().get());
  }
  StreamReassembly reassembly(options, source, channels);
  reassembly.run();
  Reassembled result;
  result.counters = reassembly.counters();
  auto& all = result.streams.connections;
  for (const auto& collector : collectors) {
    for (auto& connection : collector->connections()) all.push_back(std::move(connection));
  }
  std::ranges::sort(all, {},
                    [](const reference::StreamConnection& c) { return std::pair(c.opened_packet, c.opened_in_frame); });
  result.streams.stray_segments = number(result.counters.stray_segments);
  return result;
}

// Names the first connection that differs.
inline testing::AssertionResult same_streams(const reference::Streams& expected, const reference::Streams& got) {
  if (expected == got) return testing::AssertionSuccess();
  const std::size_t shared = std::min(expected.connections.size(), got.connections.size());
  std::size_t at = 0;
  while (at < shared && expected.connections[at] == got.connections[at]) ++at;
  const auto text = [&](const reference::Streams& streams) {
    reference::Streams one{{}, streams.stray_segments};
    if (at < streams.connections.size()) one.connections.push_back(streams.connections[at]);
    return json(one);
  };
  return testing::AssertionFailure() << "connection " << at << " of " << expected.connections.size() << " and "
                                     << got.connections.size() << " differs\n  expected " << text(expected)
                                     << "  got      " << text(got);
}

}  // namespace warpmeter::test
