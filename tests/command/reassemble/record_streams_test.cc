// The stream of records, read back by what docs/streams.md says of it.
#include "command/reassemble/stream_output.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "command/reassemble/stream_record.h"
#include "support/scratch_folder.h"
#include "support/stream_maker.h"

namespace warpmeter {
namespace {

using test::connection_of;
using test::ended_by;
using test::file_text;
using test::kClient;
using test::kServer;
using test::ScratchFolder;
using test::stream_key;
using test::StreamMaker;

template <class Part>
Part taken(std::string_view& from) {
  Part part;
  if (from.size() < sizeof part) throw std::runtime_error("cut short");
  std::memcpy(&part, from.data(), sizeof part);
  from.remove_prefix(sizeof part);
  return part;
}

struct ReadStream {
  std::uint32_t flags = 0;
  std::vector<std::uint64_t> order;                  // of records: connections, 0 for the last
  std::map<std::uint64_t, std::string> told, bytes;  // by connection
};

std::string told_sub_block(const SubBlockRecord& s) {
  return (s.side == 0 ? " c" : " s") + std::to_string(s.offset) + "+" + std::to_string(s.length) +
         (s.gap ? "!" + std::to_string(s.gap) : "");
}

ReadStream read_stream(const std::string& text) {
  std::string_view left = text;
  ReadStream stream;
  const auto header = taken<StreamsHeader>(left);
  EXPECT_EQ(std::string_view(header.magic.data(), 8), std::string_view("WMSTR\r\n\x1a"));
  EXPECT_EQ(header.version, 1u);
  stream.flags = header.flags;
  while (!left.empty()) {
    const auto head = taken<StreamRecordHead>(left);
    std::string_view body = left.substr(0, head.bytes);
    left.remove_prefix(head.bytes);
    if (head.kind == StreamRecordKind::last) {
      const auto last = taken<LastRecord>(body);
      stream.order.push_back(0);
      stream.told[0] = std::to_string(last.connections) + " " + std::to_string(last.stray_segments);
      EXPECT_TRUE(left.empty());
      continue;
    }
    std::uint64_t connection;
    std::memcpy(&connection, body.data(), sizeof connection);
    stream.order.push_back(connection);
    std::string& told = stream.told[connection];
    if (head.kind == StreamRecordKind::opened) {
      const auto opened = taken<OpenedRecord>(body);
      told += "opened " + std::to_string(opened.opened_ns) + " " + std::to_string(opened.client_port) + " " +
              std::to_string(opened.server_port) + " v" + std::to_string(opened.version) + " " +
              std::to_string(opened.client[3]) + " " + std::to_string(opened.server[3]);
    } else if (head.kind == StreamRecordKind::block) {
      const auto block = taken<BlockRecord>(body);
      told += "; " + std::to_string(block.reason) + " by " + std::to_string(block.packet);
      for (std::uint32_t i = 0; i < block.sub_blocks; ++i) told += told_sub_block(taken<SubBlockRecord>(body));
      stream.bytes[connection] += body;
      body = {};
    } else {
      const auto ended = taken<EndedRecord>(body);
      told += "; ended " + std::to_string(ended.reason) + " " + std::to_string(ended.last_ns);
      for (int i = 0; i < 2; ++i) {
        const auto way = taken<DirectionRecord>(body);
        told += ", " + std::to_string(way.counters.submitted_bytes) + " marks " + std::to_string(way.marks);
        for (std::uint32_t g = 0; g < way.gaps; ++g) {
          const auto gap = taken<StreamGap>(body);
          told += " gap " + std::to_string(gap.offset) + "+" + std::to_string(gap.length);
        }
      }
    }
    EXPECT_TRUE(body.empty());
  }
  return stream;
}

// Two connections beside each other in one channel, one in another that was opened before them, and ends later.
ReadStream stream_of(bool unordered, const std::string& name = "x.streams", std::size_t bytes = 5) {
  const ScratchFolder scratch;
  const std::atomic<bool> interrupted = false;
  RecordStreams records(scratch.file(name), {.channels = 2, .unordered = unordered, .tmpdir = scratch.path()},
                        interrupted);
  TcpConnection a = connection_of(2, stream_key(1)), b = connection_of(5, stream_key(2)),
                c = connection_of(1, stream_key(3));
  StreamMaker of_a, of_b;
  records.channel(0).opened(a);
  of_a.add(kClient, std::string(bytes, 'a')).add(kServer, "reply", 7, 2).give(records.channel(0), a);
  records.channel(0).opened(b);
  of_b.add(kClient, std::string(bytes, 'b')).give(records.channel(0), b, StreamReason::rst, 0);
  of_a.add(kClient, "more").give(records.channel(0), a, StreamReason::fin, 9);
  records.channel(0).ended(b, ended_by(StreamReason::rst, -5));
  const std::vector<StreamGap> gaps = {{0, 7}, {20, 3}};
  ConnectionReport report = ended_by(StreamReason::fin, 99);
  report.max_buffered = 17;
  report.directions[0] = {{.submitted_bytes = 9}, true, true, true, true, {}};
  report.directions[1] = {{.submitted_bytes = 5}, false, true, false, false, gaps};
  records.channel(0).ended(a, report);
  records.channel(1).opened(c);
  records.channel(1).ended(c, ended_by(StreamReason::end));
  records.finish(42);
  EXPECT_FALSE(std::filesystem::exists(scratch.file(name)));
  records.name();
  EXPECT_EQ(scratch.entries(), 1u);
  return read_stream(file_text(scratch.file(name)));
}

void expect_all(const ReadStream& stream) {
  EXPECT_EQ(
      stream.told.at(2),
      "opened 2000 1 80 v4 1 2; 1 by 7 c0+5 s7+5!7; 2 by 9 c5+4; ended 2 99, 9 marks 15, 5 marks 2 gap 0+7 gap 20+3");
  EXPECT_EQ(stream.bytes.at(2), "aaaaareplymore");
  EXPECT_EQ(stream.told.at(5), "opened 5000 2 80 v4 1 2; 3 by 0 c0+5; ended 3 -5, 0 marks 0, 0 marks 0");
  EXPECT_EQ(stream.bytes.at(5), "bbbbb");
  EXPECT_EQ(stream.told.at(0), "3 42");
  EXPECT_EQ(stream.told.size(), 4u);
}

TEST(RecordStreams, AreConnectionByConnection) {
  const ReadStream stream = stream_of(false);
  EXPECT_EQ(stream.flags, kStreamsInOrder);
  EXPECT_EQ(stream.order, (std::vector<std::uint64_t>{1, 1, 2, 2, 2, 2, 5, 5, 5, 0}));
  expect_all(stream);
}

TEST(RecordStreams, ComeAsTheyComeIfThatIsWanted) {
  const ReadStream stream = stream_of(true);
  EXPECT_EQ(stream.flags, 0u);
  EXPECT_EQ(stream.order, (std::vector<std::uint64_t>{2, 2, 5, 5, 2, 5, 2, 1, 1, 0}));
  expect_all(stream);
}

TEST(RecordStreams, HoldBlocksLargerThanBuffers) {
  for (const bool unordered : {false, true}) {
    const ReadStream stream = stream_of(unordered, "x.streams", 3 << 20);
    EXPECT_EQ(stream.bytes.at(2).size(), (3u << 20) + 9);
    EXPECT_EQ(stream.bytes.at(5), std::string(3 << 20, 'b'));
  }
}

}  // namespace
}  // namespace warpmeter
