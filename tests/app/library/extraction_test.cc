// What libwarpmeter gives to a program: the Flow Records of `extract`, in either form; and how a run ends that nobody
// wants any more.
#include "warpmeter/extraction.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/columns.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

using test::Bytes;

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

// One packet of each of so many flows: their source ports are 0, 1, ...
std::vector<Bytes> packets_of(std::uint16_t flows) {
  std::vector<Bytes> packets;
  for (std::uint16_t port = 0; port < flows; ++port) {
    packets.push_back(test::ip4({}, test::tcp({.source_port = port}, {1, 2, 3})));
  }
  return packets;
}

// These, again and again. The packets must outlive the run.
FrameFeed feed_of(const std::vector<Bytes>& packets, int times) {
  return [&packets, times, at = kStart](FrameBlock& block) mutable {
    if (times-- == 0) return false;
    for (const Bytes& packet : packets) {
      const auto size = static_cast<std::uint32_t>(packet.size());
      block.frames.push_back({packet.data(), at += 1000, size, size, kLinkRaw});
    }
    return true;
  };
}

std::vector<Biflow> all_of(Extraction& run) {
  std::vector<Biflow> all;
  for (std::vector<Biflow> flows; run.next(flows);) all.insert(all.end(), flows.begin(), flows.end());
  return all;
}

std::string capture_in(const test::ScratchFolder& folder, std::uint16_t flows) {
  test::PcapFile file({.link = kLinkRaw});
  std::uint32_t second = 1;
  for (const Bytes& packet : packets_of(flows)) file.record(second++, 0, packet);
  return folder.write("trace.pcap", file.data());
}

TEST(Extraction, MetersFramesThatAreFed) {
  const std::vector<Bytes> packets = packets_of(1000);
  Extraction run(feed_of(packets, 3), {});
  const std::vector<Biflow> flows = all_of(run);
  ASSERT_EQ(flows.size(), 1000U);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowRecord& flow = flows[i].forward;
    EXPECT_EQ(port_number(flow.key.source_port), i);
    EXPECT_EQ(flow.packets, 3U);
    EXPECT_EQ(flow.duplicate_packets, 2U);
    EXPECT_FALSE(flows[i].has_reverse);
  }
  const auto summary = nlohmann::json::parse(run.summary());
  EXPECT_EQ(summary["packets metered"], 3000);
  EXPECT_EQ(summary["rows"], 1000);
  EXPECT_EQ(summary["bytes read"], 3000 * packets.front().size());
  EXPECT_TRUE(run.warnings().empty());
}

TEST(Extraction, MetersCapturesAsTheCommandDoes) {
  const test::ScratchFolder folder;
  const std::string capture = capture_in(folder, 10), csv = folder.file("flows.csv");
  Extraction run({capture}, {{"output", csv}, {"filter", "src port 3 or src port 4"}});
  const std::vector<Biflow> flows = all_of(run);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(port_number(flows[1].forward.key.source_port), 4);
  EXPECT_EQ(nlohmann::json::parse(run.summary())["ignored"]["filtered out"], 8);
  const std::string text = test::file_text(csv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << "its outputs get them as well";
}

TEST(Extraction, GivesTheSameAsColumns) {
  const std::vector<Bytes> packets = packets_of(5000);
  Extraction rows(feed_of(packets, 2), {}), columns(feed_of(packets, 2), {}, Delivery::arrow);
  const std::vector<Biflow> flows = all_of(rows);
  ArrowSchema schema{};
  columns.schema(schema);
  std::int64_t port = -1, bytes = -1;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (std::strcmp(schema.children[i]->name, "src_port") == 0) port = i;
    if (std::strcmp(schema.children[i]->name, "bytes") == 0) bytes = i;
  }
  ASSERT_GE(port, 0);
  ASSERT_GE(bytes, 0);
  schema.release(&schema);
  std::size_t at = 0;
  for (ArrowArray array{}; columns.next(array); array.release(&array)) {
    ASSERT_LE(at + static_cast<std::size_t>(array.length), flows.size());
    const auto* const ports = static_cast<const std::uint16_t*>(array.children[port]->buffers[1]);
    const auto* const octets = static_cast<const std::uint64_t*>(array.children[bytes]->buffers[1]);
    for (std::int64_t row = 0; row < array.length; ++row, ++at) {
      ASSERT_EQ(ports[row], port_number(flows[at].forward.key.source_port));
      ASSERT_EQ(octets[row], flows[at].forward.bytes);
    }
  }
  EXPECT_EQ(at, flows.size());
}

// Who feeds frames reads them somewhere.
TEST(Extraction, NoOutputTakesThePlaceOfWhatTheProgramReads) {
  const test::ScratchFolder folder;
  const std::string capture = capture_in(folder, 10), link = folder.file("link.csv"), before = test::file_text(capture);
  std::filesystem::create_symlink(capture, link);
  const std::vector<Bytes> packets = packets_of(1);
  for (const char* const option : {"output", "stats"}) {
    Extraction run(feed_of(packets, 1), {{option, link}, {"also-read", capture}});
    EXPECT_EQ(test::thrown_text([&] { all_of(run); }),
              link + ": is an input too (" + capture + "), and no input is overwritten");
    EXPECT_EQ(test::file_text(capture), before);
  }
}

TEST(Extraction, SaysWhatAMethodDoesNotCount) {
  const std::vector<Bytes> packets = packets_of(1);
  Extraction run(feed_of(packets, 1), {{"method", "five-tuple"}});
  const std::vector<Biflow> flows = all_of(run);
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].forward.absent, not_counted_by(Method::five_tuple));
}

TEST(Extraction, RefusesWrongOptionsAtOnce) {
  const auto start = [](const Options& options) { Extraction run({"x.pcap"}, options); };
  EXPECT_EQ(test::thrown_text([&] { start({{"fromat", "csv"}}); }).substr(0, 32), "extract has no option --fromat: ");
  EXPECT_EQ(test::thrown_text([&] { start({{"help", ""}}); }), "extract has no option --help");
  EXPECT_NE(test::thrown_text([&] { start({{"idle-timeout", "soon"}}); }), "");
  EXPECT_EQ(test::thrown_text([] { Extraction run(std::vector<std::string>{}, {}); }), "there are no inputs");
  EXPECT_EQ(test::thrown_text([] { Extraction run(FrameFeed(), {}); }), "there is no feed of frames");
  EXPECT_EQ(test::thrown_text([&] { start({{"biflow", "yes"}}); }), "--biflow 'yes': takes no value");
  EXPECT_EQ(test::thrown_text([&] { start({{"quiet", "false"}}); }), "--quiet 'false': takes no value");
  EXPECT_EQ(test::thrown_text([&] { start({{"filter", ""}}); }), "--filter '': there is no value");
  EXPECT_EQ(test::thrown_text([&] { start({{"stats", ""}, {"threads", "1"}}); }), "--stats '': there is no value");
  for (const char* const name : {"", "-", "--biflow", "biflow=true"}) {
    EXPECT_EQ(test::thrown_text([&] {
                start({{name, ""}});
              }),
              std::string("'") + name + "' is no name of an option: it has no dashes, and its value stands beside it");
  }
  try {
    start({{"threads", "many"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
  }
}

TEST(Extraction, ThrowsWhereItCannotBeDone) {
  Extraction missing({"/nowhere/x.pcap"}, {});
  std::vector<Biflow> flows;
  const auto next = [&] { missing.next(flows); };
  EXPECT_EQ(test::thrown_text(next), "/nowhere/x.pcap: No such file or directory");
  EXPECT_EQ(test::thrown_text(next), "/nowhere/x.pcap: No such file or directory") << "whenever it is asked";
  EXPECT_THROW(next(), CaptureError);

  Extraction broken([](FrameBlock&) -> bool { throw std::logic_error("no more paper"); }, {});
  EXPECT_THROW(broken.next(flows), std::logic_error);

  const Bytes bytes(60);
  const auto odd = [&bytes](FrameBlock& block) {
    block.frames.push_back({bytes.data(), kStart, 60, 60, 65000});
    return true;
  };
  Extraction unknown(odd, {});
  EXPECT_EQ(test::thrown_text([&] { unknown.next(flows); }), "a frame has link type 65000, which is not decoded");
}

TEST(Extraction, NamesAnInputWithoutAName) {
  std::vector<Biflow> flows;
  Extraction run({"x.pcap", ""}, {});
  const auto next = [&] { run.next(flows); };
  EXPECT_EQ(test::thrown_text(next), "the name of an input is empty");
}

// A feed that knows that these are the last may say so at once.
TEST(Extraction, TakesFramesThatComeWithTheEnd) {
  const std::vector<Bytes> packets = packets_of(10);
  int calls = 0;
  Extraction run(
      [&, feed = feed_of(packets, 1)](FrameBlock& block) mutable {
        ++calls;
        feed(block);
        return false;
      },
      {});
  EXPECT_EQ(all_of(run).size(), 10U);
  EXPECT_EQ(calls, 1) << "it is not asked again";
}

// Otherwise a name could make two lines of one, or what a terminal takes for a command.
TEST(Extraction, NamesInWhatItSaysArePrintable) {
  const test::ScratchFolder folder;
  std::vector<Biflow> flows;
  Extraction missing({"/nowhere/a\n\033b.pcap"}, {});
  EXPECT_EQ(test::thrown_text([&] { missing.next(flows); }), "/nowhere/a\\n\\x1bb.pcap: No such file or directory");
  EXPECT_THROW(missing.next(flows), CaptureError);
  const auto wrong = [] { Extraction run({"x.pcap"}, {{"memory", "1\n2"}}); };
  EXPECT_EQ(test::thrown_text(wrong).rfind("--memory 1\\n2: ", 0), 0U);

  const std::string capture = folder.file("a\nb.pcap");
  std::filesystem::rename(capture_in(folder, 5), capture);
  std::filesystem::resize_file(capture, std::filesystem::file_size(capture) - 10);
  Extraction damaged({capture}, {});
  EXPECT_EQ(all_of(damaged).size(), 4U);
  ASSERT_EQ(damaged.warnings().size(), 1U);
  EXPECT_NE(damaged.warnings().front().find("/a\\nb.pcap: damaged at byte "), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(damaged.summary())["damage"][0]["file"], capture) << "JSON keeps the name";
}

TEST(Extraction, SummaryOfAFailureSaysSo) {
  std::vector<Biflow> flows;
  Extraction missing({"/nowhere/x.pcap"}, {});
  EXPECT_THROW(missing.next(flows), CaptureError);
  const auto summary = nlohmann::json::parse(missing.summary());
  EXPECT_EQ(summary["exit status"], 1);
  EXPECT_EQ(summary["error"], "/nowhere/x.pcap: No such file or directory");

  Extraction wrong({"x.pcap"}, {{"filter", "tcp prot 443"}});
  EXPECT_THROW(wrong.next(flows), Error);
  EXPECT_EQ(nlohmann::json::parse(wrong.summary())["exit status"], 2);
}

TEST(Extraction, TellsTooEarlyQuestionsApart) {
  const std::vector<Bytes> packets = packets_of(1);
  Extraction run(feed_of(packets, 1), {});
  ArrowArray array{};
  EXPECT_NE(test::thrown_text([&] { run.next(array); }), "");
  EXPECT_NE(test::thrown_text([&] { run.summary(); }), "");
  all_of(run);
  EXPECT_NE(run.summary(), "");
}

// What nobody takes waits, and goes with the run; so do feeds without an end.
TEST(Extraction, CanBeGivenUpAtAnyTime) {
  const test::ScratchFolder folder;
  const std::vector<Bytes> packets = packets_of(60000);
  const std::string output = folder.file("flows.csv");
  { Extraction endless(feed_of(packets, -1), {{"memory", "1M"}, {"tmpdir", folder.path()}, {"output", output}}); }
  {
    Extraction not_taken(feed_of(packets, 1), {{"output", output}});
    EXPECT_TRUE(not_taken.ready(std::chrono::seconds(60)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing is left behind";
}

TEST(Extraction, InterruptedGivesWhatWasRead) {
  const std::vector<Bytes> packets = packets_of(10);
  std::atomic<int> blocks = 0;
  Extraction run(
      [feed = feed_of(packets, -1), &blocks](FrameBlock& block) mutable {
        ++blocks;
        return feed(block);
      },
      {});
  EXPECT_FALSE(run.ready(std::chrono::milliseconds(1)));
  while (blocks < 100) std::this_thread::yield();
  run.interrupt();
  EXPECT_EQ(all_of(run).size(), 10U);
  const auto summary = nlohmann::json::parse(run.summary());
  EXPECT_EQ(summary["exit status"], 130);
  EXPECT_GE(summary["packets metered"], 900);
}

// Which would need minutes.
TEST(Extraction, ASlowCollectorHasTenSeconds) {
  const std::vector<Bytes> packets = packets_of(5000);
  const Options slow = {{"collector", "udp://127.0.0.1:9"}, {"netflow-v9", ""}, {"collector-rate", "1"}};
  const auto start = std::chrono::steady_clock::now();
  {
    Extraction dropped(feed_of(packets, 1), slow);
    dropped.ready(std::chrono::milliseconds(300));
  }
  std::atomic<bool> all_given = false;
  FrameFeed feed = [&, given = feed_of(packets, 1)](FrameBlock& block) mutable {
    const bool more = given(block);
    if (!more) {
      all_given = true;
      all_given.notify_all();
    }
    return more;
  };
  Extraction run(std::move(feed), slow);
  all_given.wait(false);
  run.interrupt();
  std::vector<Biflow> flows, all;
  EXPECT_THROW(while (run.next(flows)) all.insert(all.end(), flows.begin(), flows.end()), Error) << "some were lost";
  EXPECT_EQ(all.size(), 5000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Extraction, WarnsOfDamage) {
  const test::ScratchFolder folder;
  const std::string capture = capture_in(folder, 5);
  std::filesystem::resize_file(capture, std::filesystem::file_size(capture) - 10);
  Extraction run({capture}, {});
  EXPECT_EQ(all_of(run).size(), 4U);
  ASSERT_EQ(run.warnings().size(), 1U);
  EXPECT_EQ(run.warnings().front().rfind(capture + ": damaged at byte ", 0), 0U) << run.warnings().front();
  EXPECT_EQ(nlohmann::json::parse(run.summary())["damage"].size(), 1U);
}

// Of a feed nobody knows before which link types it has.
TEST(Extraction, WarnsOfFramesThatCannotBeFiltered) {
  const Bytes bytes(60);
  const auto once = [&bytes](FrameBlock& block) {
    block.frames.push_back({bytes.data(), kStart, 60, 60, kLinkDsaTag});
    return false;
  };
  Extraction run(once, {{"filter", "tcp"}});
  EXPECT_EQ(all_of(run).size(), 0U);
  ASSERT_EQ(run.warnings().size(), 1U);
  EXPECT_NE(run.warnings().front().find("filter 'tcp': "), std::string::npos) << run.warnings().front();
  EXPECT_EQ(nlohmann::json::parse(run.summary())["unreadable"][0], run.warnings().front());
  Extraction length(once, {{"filter", "less 100"}});
  all_of(length);
  EXPECT_EQ(length.warnings().size(), 0U);
}

TEST(Extraction, SeveralAtOnceDoNotKnowOfEachOther) {
  const std::vector<Bytes> packets = packets_of(2000);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&packets] {
      Extraction run(feed_of(packets, 5), {{"threads", "2"}});
      EXPECT_EQ(all_of(run).size(), 2000U);
    });
  }
}

}  // namespace
}  // namespace warpmeter
