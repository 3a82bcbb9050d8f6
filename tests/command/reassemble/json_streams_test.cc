// The JSON of streams: connections in order, with the names and the nesting of docs/streams.md.
#include "command/reassemble/stream_output.h"

#include <gtest/gtest.h>

#include "support/json_text.h"
#include "support/scratch_folder.h"
#include "support/stream_maker.h"

namespace warpmeter {
namespace {

using test::connection_of;
using test::ended_by;
using test::kClient;
using test::kServer;
using test::ScratchFolder;
using test::stream_key;
using test::StreamMaker;

const std::string kHello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";  // SHA-256 of "hello"

nlohmann::json json_of(StreamPayload payload) {
  const ScratchFolder scratch;
  const std::atomic<bool> interrupted = false;
  JsonStreams streams(scratch.file("x.json"), {.channels = 2, .payload = payload, .tmpdir = scratch.path()},
                      interrupted);
  TcpConnection a = connection_of(8, stream_key()), silent = connection_of(2, stream_key());
  silent.opened_ns = -5;
  StreamConsumer& channel = streams.channel(1);
  channel.opened(a);
  StreamMaker maker;
  maker.add(kClient, "hello", 0, 3).add(kServer, "h").give(channel, a);
  channel.opened(silent);
  maker.add(kServer, "he", 12).give(channel, a, StreamReason::timeout, 0);
  channel.ended(silent, ended_by(StreamReason::reuse));
  const std::vector<StreamGap> gaps = {{1, 12}};
  ConnectionReport report = ended_by(StreamReason::fin, 77);
  report.max_buffered = 6;
  report.directions[0] = {{.segments = 3, .gap_bytes = 1ull << 40}, true, true, true, true, {}};
  report.directions[1] = {{.data_segments = 2}, false, false, false, false, gaps};
  channel.ended(a, report);
  streams.finish(9);
  streams.name();
  return test::parsed(test::file_text(scratch.file("x.json")));
}

TEST(JsonStreams, TellsOfConnectionsInOrder) {
  const auto json = json_of(StreamPayload::none);
  EXPECT_EQ(json["stray_segments"], 9);
  ASSERT_EQ(json["connections"].size(), 2u);
  EXPECT_EQ(json["connections"][0]["opened_packet"], 2);
  EXPECT_EQ(json["connections"][0]["opened_ns"], -5);
  EXPECT_EQ(json["connections"][0]["end"], "reuse");
  EXPECT_EQ(json["connections"][0]["blocks"], nlohmann::json::array());
  const auto& a = json["connections"][1];
  EXPECT_EQ(a["client"], "10.0.0.1");
  EXPECT_EQ(a["client_port"], 1000);
  EXPECT_EQ(a["server"], "10.0.0.2");
  EXPECT_EQ(a["server_port"], 80);
  EXPECT_EQ(a["opened_ns"], 8000);
  EXPECT_EQ(a["last_ns"], 77);
  EXPECT_EQ(a["end"], "fin");
  EXPECT_EQ(a["max_buffered"], 6);
  EXPECT_EQ(a["directions"]["client"],
            test::parsed(R"({"segments": 3, "data_segments": 0, "submitted_bytes": 0, "repeated_segments": 0,
                             "repeated_bytes": 0, "conflicting_bytes": 0, "late_bytes": 0, "cut_bytes": 0,
                             "out_of_order_segments": 0, "gap_bytes": 1099511627776, "syn": true, "fin": true,
                             "finished": true, "complete": true, "gaps": []})"));
  EXPECT_EQ(a["directions"]["server"]["gaps"], test::parsed("[[1, 12]]"));
  EXPECT_EQ(a["directions"]["server"]["complete"], false);
  EXPECT_EQ(a["blocks"], test::parsed(R"([{"reason": "size", "packet": 7, "subblocks": [["client", 0, 5, 0, null],
                                                                           ["server", 0, 1, 0, null]]},
                             {"reason": "timeout", "packet": null, "subblocks": [["server", 13, 2, 12, null]]}])"));
}

TEST(JsonStreams, TellsOfBytesWhatIsWanted) {
  if (!why_not_told(StreamPayload::sha256).empty()) GTEST_SKIP() << "a build with libnettle runs this";
  const auto first = [](StreamPayload payload) { return json_of(payload)["connections"][1]["blocks"][0]["subblocks"]; };
  EXPECT_EQ(first(StreamPayload::sha256)[0], nlohmann::json::array({"client", 0, 5, 0, kHello}));
  EXPECT_EQ(first(StreamPayload::base64)[0], nlohmann::json::array({"client", 0, 5, 0, kHello, "aGVsbG8="}));
  EXPECT_EQ(first(StreamPayload::base64)[1][5], "aA==");
}

TEST(JsonStreams, IsADocumentWithoutConnections) {
  const ScratchFolder scratch;
  const std::atomic<bool> interrupted = false;
  JsonStreams streams(scratch.file("x.json"), {.tmpdir = scratch.path()}, interrupted);
  streams.finish(0);
  streams.name();
  EXPECT_EQ(test::parsed(test::file_text(scratch.file("x.json"))),
            test::parsed(R"({"connections": [], "stray_segments": 0})"));
}

}  // namespace
}  // namespace warpmeter
