#include "command/reassemble/stream_record.h"

#include <cstring>
#include <limits>

#include "core/byte_order.h"  // that this machine is little-endian
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

template <class Part>
void put(ConnectionBytes& to, const Part& part) {
  to.write(&part, sizeof part);
}

void begin(ConnectionBytes& to, std::uint64_t& chain, StreamRecordKind kind, std::uint64_t bytes) {
  if (bytes > std::numeric_limits<std::uint32_t>::max()) throw Error("a block of streams has more than 4 GiB");
  const StreamRecordHead head{kind, static_cast<std::uint32_t>(bytes)};
  to.begin(chain, sizeof head + bytes);
  put(to, head);
}

template <class Record>
void write_alone(ConnectionBytes& to, StreamRecordKind kind, const Record& record) {
  std::uint64_t chain = 0;
  begin(to, chain, kind, sizeof record);
  put(to, record);
}

std::uint32_t marks_of(const StreamDirection& direction) {
  return (direction.syn ? 1u : 0u) | (direction.fin ? 2u : 0u) | (direction.finished ? 4u : 0u) |
         (direction.complete ? 8u : 0u);
}

}  // namespace

void write_opened(ConnectionBytes& to, std::uint64_t& chain, const TcpConnection& connection) {
  const FlowKey& key = connection.key;
  OpenedRecord record{};
  record.connection = record_number(connection);
  record.opened_ns = connection.opened_ns;
  std::memcpy(record.client, key.source, sizeof record.client);
  std::memcpy(record.server, key.destination, sizeof record.server);
  record.client_port = port_number(key.source_port);
  record.server_port = port_number(key.destination_port);
  record.version = key.version;
  begin(to, chain, StreamRecordKind::opened, sizeof record);
  put(to, record);
}

void write_block(ConnectionBytes& to, std::uint64_t& chain, const TcpConnection& connection, const StreamBlock& block) {
  std::uint64_t bytes = sizeof(BlockRecord) + block.sub_blocks.size() * sizeof(SubBlockRecord);
  for (const SubBlock& sub : block.sub_blocks) bytes += sub.length;
  begin(to, chain, StreamRecordKind::block, bytes);
  put(to, BlockRecord{record_number(connection), block.packet, static_cast<std::uint32_t>(block.reason),
                      static_cast<std::uint32_t>(block.sub_blocks.size())});
  for (const SubBlock& sub : block.sub_blocks) {
    put(to, SubBlockRecord{sub.offset, sub.gap, static_cast<std::uint32_t>(sub.length),
                           static_cast<std::uint32_t>(sub.side)});
  }
  for (const SubBlock& sub : block.sub_blocks) {
    for (const StreamPiece& piece : sub.pieces) to.write(piece.data(), piece.size());
  }
}

void write_ended(ConnectionBytes& to, std::uint64_t& chain, const TcpConnection& connection,
                 const ConnectionReport& report) {
  std::uint64_t bytes = sizeof(EndedRecord);
  for (const StreamDirection& direction : report.directions) {
    bytes += sizeof(DirectionRecord) + direction.gaps.size_bytes();
  }
  begin(to, chain, StreamRecordKind::ended, bytes);
  put(to, EndedRecord{record_number(connection), report.last_ns, report.max_buffered,
                      static_cast<std::uint64_t>(report.end)});
  for (const StreamDirection& direction : report.directions) {
    put(to,
        DirectionRecord{direction.counters, marks_of(direction), static_cast<std::uint32_t>(direction.gaps.size())});
    to.write(direction.gaps.data(), direction.gaps.size_bytes());
  }
}

void write_dropped(ConnectionBytes& to, const DroppedRecord& dropped) {
  write_alone(to, StreamRecordKind::dropped, dropped);
}

void write_last(ConnectionBytes& to, const LastRecord& last) { write_alone(to, StreamRecordKind::last, last); }

}  // namespace warpmeter::inline command
