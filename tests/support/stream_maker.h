// Connections and blocks by hand, as a StreamReassembly gives them to a consumer.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "warpmeter/tcp_stream.h"

namespace warpmeter::test {

inline constexpr StreamSide kClient = StreamSide::client, kServer = StreamSide::server;

inline ConnectionReport ended_by(StreamReason reason, std::int64_t last_ns = 0) {
  ConnectionReport report;
  report.end = reason;
  report.last_ns = last_ns;
  return report;
}

inline TcpConnection connection_of(std::uint64_t packet, const FlowKey& key) {
  TcpConnection connection;
  connection.key = key;
  connection.opened_packet = packet & ((std::uint64_t{1} << 48) - 1);
  connection.opened_ns = static_cast<std::int64_t>(packet) * 1000;
  return connection;
}

// 10.0.0.1:1000 to 10.0.0.2:80.
inline FlowKey stream_key(std::uint16_t client_port = 1000) {
  FlowKey key;
  key.version = 4;
  const std::uint8_t client[4] = {10, 0, 0, 1}, server[4] = {10, 0, 0, 2};
  std::memcpy(key.source, client, sizeof client);
  std::memcpy(key.destination, server, sizeof server);
  set_port_number(key.source_port, client_port);
  set_port_number(key.destination_port, 80);
  key.protocol = kProtocolTcp;
  return key;
}

// A block with sub-blocks of these texts; offsets go on from block to block of one StreamMaker.
class StreamMaker {
 public:
  StreamMaker& add(StreamSide side, std::string text, std::uint64_t gap = 0, std::size_t pieces = 1) {
    std::uint64_t& offset = offsets_[static_cast<int>(side)];
    offset += gap;
    texts_.push_back(std::move(text));
    const std::string& bytes = texts_.back();
    auto& spans = pieces_.emplace_back();
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t begin = bytes.size() * i / pieces, end = bytes.size() * (i + 1) / pieces;
      spans.emplace_back(reinterpret_cast<const std::uint8_t*>(bytes.data()) + begin, end - begin);
    }
    sub_blocks_.push_back({side, offset, gap, bytes.size(), spans});
    offset += bytes.size();
    return *this;
  }

  // Gives what was added as a block.
  void give(StreamConsumer& consumer, TcpConnection& connection, StreamReason reason = StreamReason::size,
            std::uint64_t packet = 7) {
    consumer.take(connection, {reason, packet, sub_blocks_});
    sub_blocks_.clear();
    pieces_.clear();
    texts_.clear();
  }

 private:
  std::uint64_t offsets_[2] = {};
  std::deque<std::string> texts_;
  std::deque<std::vector<StreamPiece>> pieces_;
  std::vector<SubBlock> sub_blocks_;
};

}  // namespace warpmeter::test
