// All outputs of a run at once: whoever fills sections does the encoding, for a collector as for files; and what
// arrives is what one thread would have written.
#include "record/write/record_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "core/one_by_one_writer.h"
#include "record/collector/loopback.h"
#include "record/write/output_format.h"
#include "record/write/tee_writer.h"
#include "support/random_flows.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

using test::Bytes;

const RecordLayout kLayout{.biflow = true};

// What goes to a collector says when it was sent.
Bytes without_time(Bytes message, ExportProtocol protocol) {
  const std::size_t time = protocol == ExportProtocol::ipfix ? 4 : 8;
  std::fill_n(message.begin() + static_cast<std::ptrdiff_t>(time), 4, std::uint8_t{0});
  return message;
}

class Outputs : public testing::TestWithParam<ExportProtocol> {
 protected:
  Outputs() : flows_(500) {
    test::RandomFlows random(1, {.biflow = true});
    for (Biflow& flow : flows_) {
      flow = random.next();
      flow.forward.absent = flow.reverse.absent = 0;
    }
  }

  OutputOptions options_in(const test::ScratchFolder& folder, const test::UdpReceiver& receiver) const {
    OutputOptions options;
    options.file = folder.file("flows.csv");
    options.collector = receiver.options();
    options.collector->protocol = GetParam();
    OutputOptions rotated;
    rotated.file = folder.file("flows.json");
    rotated.format = Format::json;
    rotated.rotate_bytes = 20'000;
    options.also.push_back(rotated);
    OutputOptions ipfix;
    ipfix.file = folder.file("flows.ipfix");
    ipfix.format = Format::ipfix;
    if (can_write(Format::ipfix)) options.also.push_back(ipfix);
    return options;
  }

  struct Written {
    std::map<std::string, std::string> files;
    std::vector<Bytes> datagrams;
  };

  // In sections of ten, each filled by a thread of its own beside so many others.
  Written written(std::size_t threads) const {
    const test::ScratchFolder folder;
    test::UdpReceiver receiver;
    RecordOutput output(options_in(folder, receiver), kLayout);
    output.begin();
    for (std::size_t from = 0; from < flows_.size(); from += 10 * threads) {
      std::vector<std::unique_ptr<RecordSection>> sections(threads);
      {
        std::vector<std::jthread> helpers;
        for (std::size_t t = 0; t < threads; ++t) {
          helpers.emplace_back([&, t] {
            sections[t] = output.format().new_section();
            fill(*sections[t], from + 10 * t);
          });
        }
      }
      for (const auto& section : sections) output.append(*section);
    }
    output.end();
    Written all;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      all.files[entry.path().filename().string()] = test::file_text(entry.path().string());
    }
    for (std::uint64_t i = 0; i < output.export_report()->counters.messages; ++i) {
      all.datagrams.push_back(without_time(receiver.receive_bytes(), GetParam()));
    }
    return all;
  }

  void fill(RecordSection& section, std::size_t from) const {
    for (std::size_t i = from; i < std::min(from + 10, flows_.size()); ++i) {
      section.write(flows_[i].forward, flows_[i].has_reverse ? &flows_[i].reverse : nullptr);
    }
  }

  std::vector<Biflow> flows_;
};

TEST_P(Outputs, AreEncodedByWhoeverFillsSections) {
  if (!can_write(Format::ipfix)) GTEST_SKIP() << "a build with libfixbuf (libfixbuf-dev) runs this";
  const test::ScratchFolder folder;
  const test::UdpReceiver receiver;
  const RecordOutput output(options_in(folder, receiver), kLayout);
  const std::unique_ptr<RecordSection> section = output.format().new_section();
  fill(*section, 0);
  const auto& parts = static_cast<const TeeSection&>(*section).parts;
  ASSERT_EQ(parts.size(), 4u);
  for (const auto& part : parts) {
    EXPECT_EQ(dynamic_cast<const HeldRecords*>(part.get()), nullptr);
    EXPECT_GT(part->bytes(), 0u);
  }
}

TEST_P(Outputs, OfManyThreadsAreThoseOfOne) {
  if (!can_write(Format::ipfix)) GTEST_SKIP() << "a build with libfixbuf (libfixbuf-dev) runs this";
  const Written wanted = written(1), got = written(4);
  EXPECT_GT(wanted.files.size(), 4u);
  EXPECT_TRUE(got.files == wanted.files);
  EXPECT_GT(wanted.datagrams.size(), 10u);
  EXPECT_TRUE(got.datagrams == wanted.datagrams);
}

INSTANTIATE_TEST_SUITE_P(Protocols, Outputs, testing::Values(ExportProtocol::ipfix, ExportProtocol::netflow_v9));

TEST(RecordOutput, FilesOfAnIntervalHaveTheSameNameInEveryFormat) {
  constexpr std::int64_t kInterval = 1'000'000'000;
  const test::ScratchFolder folder;
  OutputOptions options;
  options.file = folder.file("flows.csv");
  options.rotate_ns = kInterval;
  options.while_running = true;
  OutputOptions other = options;
  other.file = folder.file("flows.json");
  other.format = Format::json;
  options.also.push_back(other);
  std::int64_t now_ns = 1'700'000'000 * kInterval;
  {
    RecordOutput output(options, kLayout, [&] { return now_ns += kInterval; });  // whoever looks sees another second
    output.begin();
    const auto section = output.format().new_section();
    section->write(test::RandomFlows(1, {}).next().forward, nullptr);
    output.append(*section);
    output.flush();
    output.end();
  }
  std::multiset<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.insert(entry.path().stem());
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(*names.begin(), *names.rbegin());
}

}  // namespace
}  // namespace warpmeter
