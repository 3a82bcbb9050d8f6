// The folder of streams: which files there are, what is in each, and that later connections take none of them.
#include "command/reassemble/stream_output.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"
#include "support/stream_maker.h"

namespace warpmeter {
namespace {

using test::connection_of;
using test::file_text;
using test::kClient;
using test::kServer;
using test::ScratchFolder;
using test::stream_key;
using test::StreamMaker;

const char* const kClientName = "010.000.000.001.01000-010.000.000.002.00080";
const char* const kServerName = "010.000.000.002.00080-010.000.000.001.01000";

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

TEST(StreamFiles, HaveWhatEachSideSent) {
  const ScratchFolder scratch;
  StreamFiles files(scratch.file("s"), {});
  StreamConsumer& channel = files.channel(0);
  TcpConnection c = connection_of(3, stream_key());
  channel.opened(c);
  StreamMaker maker;
  maker.add(kClient, "GET").add(kServer, "200 ").add(kClient, " /x").give(channel, c);
  maker.add(kServer, "OK", 100).give(channel, c);
  channel.ended(c, {});
  files.finish(0);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("s")));
  files.name();
  EXPECT_EQ(names_in(scratch.file("s")), (std::vector<std::string>{kClientName, kServerName}));
  EXPECT_EQ(file_text(scratch.file("s/") + kClientName), "GET /x");
  EXPECT_EQ(file_text(scratch.file("s/") + kServerName), "200 OK");
}

TEST(StreamFiles, AreOnlyOfSidesThatSentSomething) {
  const ScratchFolder scratch;
  StreamFiles files(scratch.file("s"), {});
  StreamConsumer& channel = files.channel(0);
  TcpConnection silent = connection_of(1, stream_key(7)), c = connection_of(3, stream_key());
  channel.opened(silent);
  channel.opened(c);
  StreamMaker().add(kServer, "hello").give(channel, c);
  channel.ended(silent, {});
  channel.ended(c, {});
  files.finish(0);
  files.name();
  EXPECT_EQ(names_in(scratch.file("s")), (std::vector<std::string>{kServerName}));
}

TEST(StreamFiles, HaveBothSidesOfAConnectionAsTheyCame) {
  const ScratchFolder scratch;
  StreamFiles files(scratch.file("s"), {.files = StreamFileOf::connection, .names = StreamFileNames::numbered});
  StreamConsumer& channel = files.channel(0);
  TcpConnection c = connection_of(3, stream_key());
  channel.opened(c);
  StreamMaker().add(kClient, "GET ").add(kServer, "200 ").add(kClient, "more").give(channel, c);
  channel.ended(c, {});
  files.finish(0);
  files.name();
  EXPECT_EQ(file_text(scratch.file("s/000000000003")), "GET 200 more");
}

// Of the same ends, whoever of them is the client; one that carried nothing has no number.
TEST(StreamFiles, NumberLaterConnectionsOfTheSameEnds) {
  const ScratchFolder scratch;
  StreamFiles files(scratch.file("s"), {.most_open = 1});
  StreamConsumer& channel = files.channel(0);
  const std::vector<FlowKey> keys = {stream_key(), stream_key(), swapped(stream_key()), stream_key(1001)};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    TcpConnection c = connection_of(i + 1, keys[i]), silent = connection_of(100 + i, keys[i]);
    channel.opened(silent);
    channel.ended(silent, {});
    channel.opened(c);
    StreamMaker().add(kClient, "c" + std::to_string(i)).add(kServer, "s" + std::to_string(i)).give(channel, c);
    channel.ended(c, {});
  }
  files.finish(0);
  files.name();
  const auto text = [&](const std::string& name) { return file_text(scratch.file("s/" + name)); };
  EXPECT_EQ(names_in(scratch.file("s")).size(), 8u);
  EXPECT_EQ(text(kClientName), "c0");
  EXPECT_EQ(text(kClientName + std::string("c1")), "c1");
  EXPECT_EQ(text(kServerName + std::string("c1")), "s1");
  EXPECT_EQ(text(kServerName + std::string("c2")), "c2");
  EXPECT_EQ(text(kClientName + std::string("c2")), "s2");
  EXPECT_EQ(text("010.000.000.001.01001-010.000.000.002.00080"), "c3");
}

// Small pieces are gathered, large ones are written from where they lie.
TEST(StreamFiles, HaveAllPiecesWhateverTheirSize) {
  const ScratchFolder scratch;
  StreamFiles files(scratch.file("s"), {});
  StreamConsumer& channel = files.channel(0);
  TcpConnection c = connection_of(3, stream_key());
  channel.opened(c);
  std::string wanted;
  for (const std::size_t first : {1u, 100u, 65535u, 65536u, 70000u}) {
    for (const std::size_t second : {1u, 30000u, 65536u, 200000u}) {
      StreamMaker maker;
      char letter = 'a';
      for (const std::size_t size : {first, second, std::size_t{5}, second}) {
        const std::string text(size, letter++);
        wanted += text;
        maker.add(kClient, text, 0, std::min<std::size_t>(size, 3)).add(kServer, "-");
      }
      maker.give(channel, c);
    }
  }
  channel.ended(c, {});
  files.finish(0);
  files.name();
  EXPECT_TRUE(file_text(scratch.file("s/") + kClientName) == wanted);
  EXPECT_EQ(file_text(scratch.file("s/") + kServerName), std::string(5 * 4 * 4, '-'));
}

TEST(StreamFiles, LeaveNothingWithoutACommit) {
  const ScratchFolder scratch;
  {
    StreamFiles files(scratch.file("s"), {.channels = 2});
    TcpConnection c = connection_of(3, stream_key());
    StreamMaker().add(kClient, "lost").give(files.channel(1), c);
    EXPECT_EQ(scratch.entries(), 1u);
  }
  EXPECT_EQ(scratch.entries(), 0u);
}

}  // namespace
}  // namespace warpmeter
