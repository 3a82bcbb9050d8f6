// The stream of records: how connections, blocks and ends are written (docs/streams.md, "Records"). A record is 8
// bytes, its kind and how many bytes follow, and these. Little-endian; nothing is padded.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/byte_sink.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

inline constexpr std::array<char, 8> kStreamsMagic = {'W', 'M', 'S', 'T', 'R', '\r', '\n', '\x1a'};
inline constexpr std::uint32_t kStreamsVersion = 1;

enum class StreamRecordKind : std::uint32_t { opened = 1, block = 2, ended = 3, last = 4, dropped = 5 };

struct StreamsHeader {
  std::array<char, 8> magic = kStreamsMagic;
  std::uint32_t version = kStreamsVersion;
  std::uint32_t flags = 0;  // 1: connections are one after the other
};
static_assert(sizeof(StreamsHeader) == 16);
inline constexpr std::uint32_t kStreamsInOrder = 1;

struct StreamRecordHead {
  StreamRecordKind kind;
  std::uint32_t bytes;  // that follow
};

// What `kind` is followed by; of a block by as many SubBlockRecord, then by the bytes of all; of an end by two
// DirectionRecord, each followed by its gaps.
struct OpenedRecord {
  std::uint64_t connection;  // record_number()
  std::int64_t opened_ns;
  std::uint8_t client[16], server[16];
  std::uint16_t client_port, server_port;
  std::uint32_t version;  // of IP: 4 or 6; of 4, the first four bytes of an address count
};
static_assert(sizeof(OpenedRecord) == 56);

// Number of the packet that made it known, and, above 48 bits, how many are before it in its frame.
inline std::uint64_t record_number(const TcpConnection& connection) {
  return connection.opened_packet | std::uint64_t{connection.opened_in_frame} << 48;
}

struct BlockRecord {
  std::uint64_t connection;
  std::uint64_t packet;  // 0: none
  std::uint32_t reason;  // a StreamReason
  std::uint32_t sub_blocks;
};
static_assert(sizeof(BlockRecord) == 24);

struct SubBlockRecord {
  std::uint64_t offset, gap;
  std::uint32_t length;
  std::uint32_t side;  // 0: the client sent it
};
static_assert(sizeof(SubBlockRecord) == 24);

struct EndedRecord {
  std::uint64_t connection;
  std::int64_t last_ns;
  std::uint64_t max_buffered;
  std::uint64_t reason;
};
static_assert(sizeof(EndedRecord) == 32);

struct DirectionRecord {
  StreamCounters counters;
  std::uint32_t marks;  // 1 SYN, 2 FIN, 4 finished, 8 complete
  std::uint32_t gaps;
};
static_assert(sizeof(DirectionRecord) == 88);

struct LastRecord {
  std::uint64_t connections;
  std::uint64_t stray_segments;
};
static_assert(sizeof(LastRecord) == 16);

// Of a live capture: what found no room on the way to its reader, since the last record of this kind.
struct DroppedRecord {
  std::uint64_t blocks, bytes;  // bytes: what TCP carried
  std::uint64_t ends;           // of connections that were opened
};
static_assert(sizeof(DroppedRecord) == 24);

static_assert(std::is_trivially_copyable_v<DirectionRecord> && sizeof(StreamGap) == 16);

// Where what is written of connections goes, as long as several of them are under way: each has a chain, which begins
// as 0 and is its writer's to keep.
class ConnectionBytes : public ByteSink {
 public:
  // So many bytes follow, by write(), which belong together, behind all that the chain has.
  virtual void begin(std::uint64_t& chain, std::uint64_t bytes) = 0;

  // It has had all. `number`: its place among connections.
  virtual void end(std::uint64_t number, std::uint64_t chain) = 0;
};

// Each as one record. `chain`: that of the connection.
void write_opened(ConnectionBytes& to, std::uint64_t& chain, const TcpConnection& connection);
void write_block(ConnectionBytes& to, std::uint64_t& chain, const TcpConnection& connection, const StreamBlock& block);
void write_ended(ConnectionBytes& to, std::uint64_t& chain, const TcpConnection& connection,
                 const ConnectionReport& report);

// Of no connection.
void write_dropped(ConnectionBytes& to, const DroppedRecord& dropped);
void write_last(ConnectionBytes& to, const LastRecord& last);

}  // namespace warpmeter::inline command
